"""``python -m iosonde``."""

from iosonde.cli.main import entry

entry()
