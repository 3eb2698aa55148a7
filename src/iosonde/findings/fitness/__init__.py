"""What would spoil a measurement, before it begins: facts of host, device and path, each judged in one line.

In: records of facts. Out: lines with a state, the reason for it, and the command that changes it.
"""

from iosonde.findings.fitness.device import device_lines
from iosonde.findings.fitness.health import health_lines
from iosonde.findings.fitness.host import host_lines
from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.findings.fitness.path import path_lines
from iosonde.findings.fitness.settings import settings_lines
from iosonde.findings.fitness.writing import purge_line, write_lines

__all__ = [
    "FitnessLine",
    "State",
    "device_lines",
    "health_lines",
    "host_lines",
    "path_lines",
    "purge_line",
    "settings_lines",
    "write_lines",
]
