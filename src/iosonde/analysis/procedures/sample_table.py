"""The flat table of the samples of long trials."""

from iosonde.analysis.columns import Table, integer, maybe_integer, real, text
from iosonde.analysis.procedures.courses import capacity_of, long_phases
from iosonde.analysis.procedures.from_run import procedures_of
from iosonde.records import RunRecord


def sample_table(run: RunRecord) -> dict[str, Table]:
    """``samples``; no table without long trials."""
    rows = [
        (procedure.procedure.name, phase, sample)
        for procedure in procedures_of(run)
        for phase in long_phases(run, procedure)
        for sample in phase.samples
    ]
    if not rows:
        return {}
    samples = [sample for *_, sample in rows]
    capacity = capacity_of(run)
    return {
        "samples": {
            "procedure": text([name for name, *_ in rows]),
            "phase": text([phase.phase for _, phase, _ in rows]),
            "trial": integer([phase.trial for _, phase, _ in rows]),
            "role": text([phase.role.value for _, phase, _ in rows]),
            "cell": text([phase.cell for _, phase, _ in rows]),
            "start_ns": integer([each.start_ns for each in samples]),
            "end_ns": integer([each.end_ns for each in samples]),
            "iops": real([each.iops for each in samples]),
            "bytes_per_s": real([each.bytes_per_s for each in samples]),
            "latency_ns_mean": real([each.latency_ns_mean for each in samples]),
            "latency_ns_max": maybe_integer([each.latency_ns_max for each in samples]),
            "written_bytes": integer([each.written_bytes for each in samples]),
            "drive_fills": real([each.written_bytes / capacity for each in samples]),
        }
    }
