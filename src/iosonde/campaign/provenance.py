"""What a record says of the command that made it."""

import sys

from iosonde.printing import encodable


def command_line() -> tuple[str, ...]:
    """The command as it was typed, in text that a record can keep."""
    return tuple(encodable(word) for word in sys.argv)
