"""The command `gpruntime`. Thin: parse, call, print.

start     the entry of the command
main      the group of commands, and how every error becomes one line and an exit status
options   the options that describe a run, and the RunSpec they add up to
progress  what a person at a terminal sees while it takes long
run       gpruntime run
watch     gpruntime watch
"""
