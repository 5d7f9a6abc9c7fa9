"""The command `gpruntime`. Thin: parse, call, print.

start        the entry of the command
main         the group of commands, and how every error becomes one line and an exit status
options      the options that describe a run, and the RunSpec they add up to
answers      what the commands that compute an answer share
output       lines of the answer and of complaints; the style of all help
rows         the answer to a query as a table, as CSV, as JSON lines
streams      words for signs that a stream does not have

run          gpruntime run
exact        gpruntime exact
study        gpruntime study
watch        gpruntime watch
pages        gpruntime paper and atlas
instruments  gpruntime drift, improvement, size and worst
theory       gpruntime certify and levels
guess        gpruntime guess
policy       gpruntime policy
limit        gpruntime limit
parts        gpruntime problems, algorithms and verify
"""
