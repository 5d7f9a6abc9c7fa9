"""Runs to look at, step by step, in the browser: `gpruntime watch`.

offer        what can be chosen: ours, and what the user named
choice       what is watched: spec, seed, initial tree of another algorithm; and the page's limits
source       a run under way that can fork, in slices that end soon
recording    a run with checkpoints and its course
undo         operations on a tree of the model that can be taken back
annotations  how leaves and variables stand, by what a problem sees
standing     the name that it had, for users' files
problems/    what our problems say otherwise, a file each
annotated    a tree with its annotations kept up to date
words        what a step did and why it was accepted or rejected, in words
narrator     follows a run and describes its steps
definitions  what the words on the page mean, for the run on show; why a run is stuck
lessons/     guided lessons, a file each
window       some steps of a recording, as the page wants them
many         many runs of one setting, as they end
estimates    what they say: estimates of a size, the law over sizes
population   a run with several trees: the changes of its population
export       a run as a single file
server       the page and its data over HTTP
guard        keeps other pages' requests out
jobs         computations that end when nobody waits for them
warm         the engine made ready before anyone asks
serve        the server on this machine's loopback address, its limits of connections and time
static/      the page itself, built from web/
"""
