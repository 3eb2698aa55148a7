"""Measured comparisons with other tools and builds: ``make bench``. Prints the results and stores them."""
