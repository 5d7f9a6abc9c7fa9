"""Problems that bring states of their own, fewer than the general: a file named like the problem, with `STATES`."""
