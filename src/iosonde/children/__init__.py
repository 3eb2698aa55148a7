"""Child processes whose output is read while they run. Every line, wait and exit has a limit."""

from iosonde.children.child import Child, LineTooLongError, Program, signal_name
from iosonde.children.deadline import Deadline
from iosonde.children.greeting import FirstWords

__all__ = ["Child", "Deadline", "FirstWords", "LineTooLongError", "Program", "signal_name"]
