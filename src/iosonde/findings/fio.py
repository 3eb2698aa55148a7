"""Rules about cells that fio measured: what fio does not report, and what its latency does not include."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity


def measured_by_fio(case: Case) -> Iterator[Finding]:
    """The engine was fio, which reports less than iosonde's own engine."""
    by_fio = case.records_where(lambda record: record.by_fio is not None)
    if not by_fio:
        return
    told = distinct(f"{fio.version}, {fio.ioengine}" for each in by_fio if (fio := each.by_fio) is not None)
    commits = distinct(record.cell for record in by_fio if record.workload.flushes_each)
    separate = (
        f" For {name_some(commits)}, fio measures writes and flushes separately and does not report commit latency."
        if commits
        else ""
    )
    yield Finding(
        id="measured-by-fio",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"This run used fio ({'; '.join(told)}). iosonde does not get these values from fio: mean achieved "
            "queue depth, operations in flight at the end, the slowest operations, CPU time, and latency during the "
            f"warm-up. iosonde skips findings that require these values.{separate}"
        ),
        evidence=tuple(("measured by", each) for each in told),
        advice="To get these values, run the same campaign with iosonde's engine.",
        deciding_test="Run the campaign again with --engine auto.",
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
                f"An arrival rate was set for {count_of(len(cells), 'cell')}, but fio measures latency from "
                "submission. The reported latency excludes the time that operations waited before submission. If the "
                "target stalls or cannot sustain the rate, the actual latency is much higher than reported."
            ),
            evidence=tuple((record.cell, trial_name(record)) for record in paced[:10]),
            advice="Treat these latencies as lower bounds. iosonde's engine measures latency from the intended start.",
            deciding_test="Run these cells again with --engine auto.",
            cells=cells,
        )
