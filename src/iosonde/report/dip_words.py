"""Whether a sweep has a dip, in words."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.dips import dips_of, is_narrow, sweeps_for_dips
from iosonde.analysis.families import Along

_QUANTITY: Final = {Along.BLOCK_SIZE: ("bandwidth", "block size"), Along.DEPTH: ("throughput", "queue depth")}


def dip_sentence(cells: Sequence[CellEstimate], along: Along) -> str:
    """That no sweep of the cells has a significant dip, or which ones have; empty without intervals at three points."""
    sweeps = sweeps_for_dips(cells, along)
    if not sweeps:
        return ""
    quantity, parameter = _QUANTITY[along]
    found = [each.cell.cell for each in dips_of(cells) if each.along is along]
    if found:
        return f"A dip of {quantity}: see the finding dip ({', '.join(found)})."
    if any(not is_narrow(sweep, along) for sweep in sweeps):
        return (
            f"Whether {quantity} has a dip is not decided: at some {parameter}s, its confidence interval is too wide."
        )
    return f"No dip: at no {parameter}, {quantity} is significantly below that of a smaller and of a larger one."
