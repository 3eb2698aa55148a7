"""What iosonde measures against what is known: by hand, for it takes long. ``make verify``."""
