"""The plateaus of a long transfer in words and as a table."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.levels import EXCURSION_NS_MAX, PLATEAU_SHARE_MIN
from iosonde.analysis.plateaus import Plateau, Transfer
from iosonde.analysis.stretches import Stretch
from iosonde.charts.quantities import BANDWIDTH_UNIT, significant, value_with_interval
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import MEGABYTE, format_amount, format_duration, format_iops, format_percent

PLATEAUS_TOLD_MAX: Final = 4
"""With more plateaus, the sentence names the first ones, and the table has all."""

PLATEAU_RULE: Final = (
    f"Levels that differ by less than {format_percent(PLATEAU_SHARE_MIN)} are one plateau, and so are excursions of "
    f"less than {format_duration(EXCURSION_NS_MAX)}."
)

TOO_FEW_POINTS: Final = "the plateau has too few intervals"
END: Final = "the transfer ended"


def plateau_sentence(transfer: Transfer, begins: str, *, with_iops: bool = False) -> str:
    """The levels of a transfer in their order. ``begins`` is the subject: ``The preconditioning write``.

    ``with_iops`` adds the rate of operations to each level.
    """
    first, *others = transfer.plateaus
    told = [f"{begins} {'alternated between' if first.alternates else 'ran at'} {_level(first, with_iops=with_iops)}"]
    for before, plateau in zip(transfer.plateaus, others[:PLATEAUS_TOLD_MAX], strict=False):
        verb = "alternated between" if plateau.alternates else _moved(before, plateau)
        told.append(f"after {end_text(before)}, it {verb} {_level(plateau, with_iops=with_iops)}")
    more = len(others) - PLATEAUS_TOLD_MAX
    if more > 0:
        told.append(f"{more} more {'change' if more == 1 else 'changes'} followed")
    head, *rest = told
    return f"{'; '.join([head, *rest])}."


def _moved(before: Plateau, plateau: Plateau) -> str:
    return "fell to" if plateau.bytes_per_s < before.bytes_per_s else "rose to"


def _level(plateau: Plateau, *, with_iops: bool) -> str:
    mean = f"{bandwidth_text(plateau)} {BANDWIDTH_UNIT}"
    if with_iops:
        mean += f" ({format_iops(plateau.iops)} IOPS)"
    if plateau.alternates is None:
        return mean
    low, high = (significant(each / MEGABYTE, 3) for each in plateau.alternates)
    return f"{low} and {high} {BANDWIDTH_UNIT}, with a mean of {mean}"


def bandwidth_text(plateau: Plateau) -> str:
    """The mean bandwidth with its interval, in MB/s."""
    half = None if plateau.high is None else plateau.high - plateau.bytes_per_s
    return value_with_interval(plateau.bytes_per_s, half, 1 / MEGABYTE)


def end_text(plateau: Plateau) -> str:
    """The data transferred until the end of a plateau, with the range that encloses it: ``640 MB (540 to 672 MB)``."""
    low, high = format_amount(plateau.end_bytes_low), format_amount(plateau.end_bytes_high)
    at = format_amount(plateau.end_bytes)
    return at if low == high else f"{at} ({low} to {high})"


def plateau_table(stretches: Sequence[Stretch], caption: str) -> ResultTable | None:
    """A row for each plateau of each stretch; None without plateaus."""
    lines = [
        _line(each.cell, number, plateau, is_last=number == len(each.transfer.plateaus))
        for each in stretches
        for number, plateau in enumerate(each.transfer.plateaus, 1)
    ]
    if not lines:
        return None
    heads = (
        Head("Transfer", number=False),
        Head("Plateau"),
        Head("Bandwidth", BANDWIDTH_UNIT),
        Head("IOPS"),
        Head("Ended after", "data"),
        Head("Range", number=False),
        Head("Length"),
        Head("Levels", number=False),
    )
    return ResultTable(caption, heads, tuple(lines), ())


def _line(name: str, number: int, plateau: Plateau, *, is_last: bool) -> Line:
    interval = f"{format_amount(plateau.end_bytes_low)} to {format_amount(plateau.end_bytes_high)}"
    return Line(
        (
            name,
            str(number),
            bandwidth_text(plateau),
            significant(plateau.iops),
            format_amount(plateau.end_bytes),
            Dash(END) if is_last else interval,
            format_duration(plateau.end_ns - plateau.start_ns),
            _levels(plateau),
        )
    )


def _levels(plateau: Plateau) -> str:
    if plateau.alternates is not None:
        low, high = (significant(each / MEGABYTE, 3) for each in plateau.alternates)
        return f"alternates, {low} and {high} {BANDWIDTH_UNIT}"
    return "flat" if plateau.is_flat else "not flat"
