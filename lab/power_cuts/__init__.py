"""Power cuts of the host on which the run directory is, and what is left of the run."""
