"""Side by side with what a user would pick instead: `./run bench [NAME …]`, without a name all of them.

engine    ns per step against DEAP and the model; skipping against stepping; growth with n; memory
field     the field's problems against DEAP, and how a step grows; what parsimony costs
plugins   problems of a user's own against the same built in, the model and DEAP
circuits  Cartesian GP against the same in plain Python, and how a step grows with the gates
cores     1, 2, 4, … cores: whole runs, studies, an own problem, and what the model runs
gpu       whole runs on a GPU beside one core and all cores; by name only
analysis  ten million runs summarised: seconds and memory

A figure is a ratio of two measurements of one call, alternating, the best of several: the machine may be shared.
"""
