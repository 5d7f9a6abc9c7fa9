"""The command `gpruntime`. Thin: parse, call, print.

start     the entry of the command
main      the group of commands, and how every error becomes one line and an exit status
options   the options that describe a run, and the RunSpec they add up to
output    lines of the answer and of complaints, with our commands as the user can type them
style     one style for the help of all commands
progress  what a person at a terminal sees while it takes long
run       gpruntime run
watch     gpruntime watch
"""
