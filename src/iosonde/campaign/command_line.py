"""The command that made a record."""

import sys

from iosonde.printing import encodable


def command_line() -> tuple[str, ...]:
    """The command line as it was typed, as valid UTF-8 text."""
    return tuple(encodable(word) for word in sys.argv)
