"""iosonde characterises block storage: from a command to a report that can be trusted."""

__version__ = "0.1.0"
