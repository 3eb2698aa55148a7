"""Rules about what trims leave behind."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity


def reads_of_holes(case: Case) -> Iterator[Finding]:
    """Blocks were read that a trim may have emptied: such reads need no medium."""
    records = case.run.cells
    trims = [record for record in records if record.workload.trim_percent]
    if not trims:
        return
    first = min(record.order for record in trims)
    emptied = distinct(record.cell for record in records if record.workload.reads and record.order >= first)
    if not emptied:
        return
    names = distinct(record.cell for record in trims)
    yield Finding(
        id="reads-of-holes",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"{count_of(len(emptied), 'cell')} read from a target of which parts had been trimmed "
            f"({name_some(emptied)}): a block that was not written since is a hole, which is read without the medium."
        ),
        evidence=(("trims", name_some(names)), ("read with them or after them", name_some(emptied))),
        advice="Take reads from a run without trims, or write the whole target in between.",
        deciding_test="The same cells in a campaign without trims: reads that are slower there met holes here.",
        cells=emptied,
    )


TRIM_RULES = (reads_of_holes,)
