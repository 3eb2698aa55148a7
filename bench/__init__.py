"""Measured comparisons, printed and kept: ``make bench``."""
