"""Rules about cells that fio measured: what it does not tell, and what its latency leaves out."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity


def measured_by_fio(case: Case) -> Iterator[Finding]:
    """Another program measured, which tells less."""
    by_fio = case.records_where(lambda record: record.by_fio is not None)
    if not by_fio:
        return
    told = distinct(f"{fio.version}, {fio.ioengine}" for each in by_fio if (fio := each.by_fio) is not None)
    commits = distinct(record.cell for record in by_fio if record.workload.flushes_each)
    apart = f" Of {name_some(commits)} it times writes and flushes, and no commit of both." if commits else ""
    yield Finding(
        id="measured-by-fio",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"fio measured ({'; '.join(told)}). It does not tell the depth achieved, what was in flight at the end, "
            "the slowest operations, the CPU time of a window, nor any latency of the warm-up: findings that rest on "
            f"these are not looked for.{apart}"
        ),
        evidence=tuple(("measured by", each) for each in told),
        advice="Compare with the same campaign by iosonde's own engine, which does tell.",
        deciding_test="The same campaign with --engine auto, beside this one.",
    )


def waiting_not_counted(case: Case) -> Iterator[Finding]:
    """Operations were wanted at a rate, and fio's latency begins when they are handed over."""
    paced = case.records_where(lambda record: record.by_fio is not None and record.workload.is_open_loop)
    if paced:
        cells = distinct(record.cell for record in paced)
        yield Finding(
            id="waiting-not-counted",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(cells), 'cell')} had a rate, and fio's latency begins when an operation is handed "
                "over: what it waited for before that is in no figure. A target that stands still, or can't "
                "keep the rate, looks much faster than those who wait for it find it."
            ),
            evidence=tuple((record.cell, f"repeat {record.repeat}") for record in paced[:10]),
            advice="Take these latencies for a lower bound; iosonde's own engine counts from the wanted moment.",
            deciding_test="The same cells with --engine auto.",
            cells=cells,
        )
