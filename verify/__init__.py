"""Compares iosonde's results with known values: ``make verify``. Run by hand, because it takes long."""
