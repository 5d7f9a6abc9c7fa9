"""What a program is: trees, and what else an algorithm may work with.

representation  what a representation says, and trees
circuits        gates in a line: Cartesian GP
truth_tables    a value for each row: geometric semantic GP
"""
