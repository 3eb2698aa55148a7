"""For scripts and notebooks: runs as tables, and commands as functions. In: paths and options. Out: runs and frames.

Nothing here prints or exits. Errors that the user can fix are raised as ``iosonde.errors.IosondeError``.
"""

from iosonde.api.frame import Frame
from iosonde.api.measuring import probe, run
from iosonde.api.runs import Run, open_run

__all__ = ["Frame", "Run", "open_run", "probe", "run"]
