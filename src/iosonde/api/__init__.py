"""For scripts and notebooks: runs as tables, and the commands as functions. In: paths and words. Out: runs and frames.

Nothing here prints or exits; what a user can mend is raised as an ``iosonde.errors.IosondeError``.
"""

from iosonde.api.frame import Frame
from iosonde.api.measuring import probe, run
from iosonde.api.runs import Run, open_run

__all__ = ["Frame", "Run", "open_run", "probe", "run"]
