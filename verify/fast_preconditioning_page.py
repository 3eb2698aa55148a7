"""The page of the comparison of fast preconditioning with long."""

from collections.abc import Sequence
from typing import Final

from iosonde.units import format_latency
from verify.fast_preconditioning import CAPACITIES, FIGURES, LONG, SEEDS, WITHIN, Prepared
from verify.tables import page

LEAD: Final = (
    f"Simulated drives after precondition = fast-random, and the next capacity of 4 KiB random writes at queue depth "
    f"32, compared with three long forms of preconditioning: {CAPACITIES} capacities of random writes after every "
    "block was written once in order, after twice the capacity in order, and after every block was written once in "
    f"random order. Differences are of means over {len(SEEDS)} seeds: for IOPS and write amplification the largest "
    "from a long form (and of a single seed), for p99 from each of the long forms. IOPS and write amplification are "
    f"the same if they are within {WITHIN:.0%} of all long forms, p99 if it is within {WITHIN:.0%} of one of them. "
    "The range of p99 is over all long forms and seeds. "
    "For each drive, the over-provisioning is assumed right, then 30 % too low and too high, then as the default."
)
NOTES: Final = """
The p99 of the long forms themselves differs on many drives. In the model, each die programs one unit in turn, so the
dies keep the distances between their erases for tens of capacities, and these depend on the first writes. Dies that
erase in step stall the drive less often, but for longer. More random writes do not bring the forms together: p99 is a
property of the history of these drives, while IOPS and write amplification are not. Where a p99 is not that of any long
form, it also varies by more than the limit between the seeds of one form.
"""


def prepared_row(each: Prepared) -> tuple[str, ...]:
    """A drive with one assumption."""
    drive, written = each.drive, each.long[LONG[0]][0].written
    return (
        drive.name,
        f"{100 * drive.over_provisioning:.1f} %",
        f"{100 * each.assumed:.1f} %",
        f"{each.fast[0].written:.2f} / {written:.0f}",
        *(_largest(each, figure) for figure in range(2)),
        " / ".join(f"{found:+.1%}" for found in each.differences(2)),
        " to ".join(map(format_latency, each.long_range(2))),
        _verdict(each),
    )


def _largest(each: Prepared, figure: int) -> str:
    return f"{max(each.differences(figure), key=abs):+.1%} ({each.largest_of_a_seed(figure):+.1%})"


def _verdict(each: Prepared) -> str:
    missed = [name for figure, name in enumerate(FIGURES) if not each.is_same(figure)]
    return f"NO: {', '.join(missed)}" if missed else "yes"


def prepared_page(found: Sequence[Prepared]) -> str:
    """All drives."""
    heads = (
        *("drive", "over-provisioning", "assumed", "capacities written, fast / long"),
        *FIGURES,
        "p99 after long forms",
        "same",
    )
    return page("Fast preconditioning", LEAD, heads, map(prepared_row, found)) + NOTES
