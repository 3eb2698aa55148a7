"""Child processes that are read while they run: every line, wait and end has a bound. Knows no program by its name."""

from iosonde.children.child import Child, LineTooLongError, Program, signal_name
from iosonde.children.deadline import Deadline
from iosonde.children.first_words import FirstWords

__all__ = ["Child", "Deadline", "FirstWords", "LineTooLongError", "Program", "signal_name"]
