"""Rules about cells that fio measured: what fio does not report, and what its latency does not include."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity


def measured_by_fio(case: Case) -> Iterator[Finding]:
    """The engine was fio, which reports less than iosonde's own engine."""
    by_fio = case.records_where(lambda record: record.by_fio is not None)
    if not by_fio:
        return
    told = distinct(f"{fio.version}, {fio.ioengine}" for each in by_fio if (fio := each.by_fio) is not None)
    commits = distinct(record.cell for record in by_fio if record.workload.flushes_each)
    separate = (
        f" For {name_some(commits)}, fio times writes and flushes separately and reports no commit latency."
        if commits
        else ""
    )
    yield Finding(
        id="measured-by-fio",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"fio measured this run ({'; '.join(told)}). fio does not report the achieved queue depth, the operations "
            "in flight at the end, the slowest operations, the CPU time of the measurement or the latency of the "
            f"warm-up. iosonde skips the findings that need these values.{separate}"
        ),
        evidence=tuple(("measured by", each) for each in told),
        advice="Compare with the same campaign on iosonde's own engine, which reports these values.",
        deciding_test="The same campaign with --engine auto.",
    )


def waiting_not_counted(case: Case) -> Iterator[Finding]:
    """An open loop measured by fio: its latency starts at submission, not at the intended start."""
    paced = case.records_where(lambda record: record.by_fio is not None and record.workload.is_open_loop)
    if paced:
        cells = distinct(record.cell for record in paced)
        yield Finding(
            id="waiting-not-counted",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(cells), 'cell')} had an arrival rate, but fio's latency starts at submission. The time "
                "that an operation waited before submission is in no latency result. A target that stalls or cannot "
                "sustain the rate looks much faster than it is for its users."
            ),
            evidence=tuple((record.cell, f"repeat {record.repeat}") for record in paced[:10]),
            advice="Treat these latencies as a lower bound. iosonde's own engine measures from the intended start.",
            deciding_test="The same cells with --engine auto.",
            cells=cells,
        )
