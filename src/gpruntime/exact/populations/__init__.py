"""What our algorithms with populations keep, as states of a chain, one file each, named after the algorithm."""
