"""Tests of the statistics against known answers and other implementations, and of when a figure is not given."""
