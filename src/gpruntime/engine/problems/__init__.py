"""The faster forms that some of our problems bring along: a file for each, found by the problem's id."""
