"""All rules, and the findings that they report."""

from collections.abc import Callable, Iterator
from typing import Final

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import STRICT, FailureLog
from iosonde.findings import (
    device,
    device_counts,
    dips,
    drift,
    engine,
    fio,
    frequency,
    health,
    host,
    io_errors,
    link,
    load,
    mix,
    precision,
    procedures,
    repeats,
    tail,
    target,
    throughput,
    verification,
)
from iosonde.findings import run as whole_run
from iosonde.findings.case import Case
from iosonde.findings.finding import Finding, most_severe_first

Rule = Callable[[Case], Iterator[Finding]]

# Findings of equal severity are reported in this order.
RULES: Final[tuple[Rule, ...]] = (
    engine.debug_build,
    whole_run.quick_run,
    engine.engine_fallback,
    engine.engine_by_cell,
    engine.polling_refused,
    engine.registration_refused,
    fio.measured_by_fio,
    fio.waiting_not_counted,
    whole_run.run_unfinished,
    whole_run.run_resumed,
    whole_run.journal_damaged,
    whole_run.neighbours,
    host.clock_drift,
    host.slow_clock,
    host.cpu_quota,
    host.one_cpu,
    host.far_from_device,
    frequency.frequency_differs,
    target.buffered_io,
    target.span_fits_cache,
    target.content_unknown,
    device.virtual_disk,
    device.volatile_write_cache,
    device.depth_over_tags,
    device.request_split,
    target.written_unknown,
    target.reads_after_purge,
    device.device_in_use,
    target.targets_share_device,
    target.targets_uneven,
    io_errors.cell_failed,
    io_errors.io_errors,
    load.depth_not_reached,
    load.cold_queue,
    mix.mix_not_kept,
    load.too_few_operations,
    repeats.repeats_differ,
    host.steal,
    whole_run.intervals_merged,
    load.littles_law_off,
    device_counts.device_counts_differ,
    device_counts.device_times_differ,
    throughput.level_changed,
    drift.drift,
    health.drive_throttled,
    health.drive_hot,
    health.media_errors,
    health.link_changed,
    link.faster_than_link,
    health.drive_warns,
    dips.dip,
    throughput.not_settled,
    throughput.stalled,
    throughput.nothing_completed,
    precision.precision_missed,
    precision.not_established,
    throughput.state_left,
    procedures.preconditioning_failed,
    procedures.steady_state_missed,
    procedures.latency_cut_short,
    repeats.repeats_discarded,
    tail.slowest_together,
    tail.slowest_by_host,
    host.host_limited,
    host.busy_by_design,
    engine.kernel_workers,
    tail.slowest_not_counted,
    load.saturated,
    load.submitted_late,
    target.reads_of_holes,
    verification.not_as_written,
)

OF_REPEATS: Final[frozenset[Rule]] = frozenset(
    {
        load.cold_queue,
        repeats.repeats_differ,
        repeats.repeats_discarded,
        throughput.level_changed,
        throughput.not_settled,
        throughput.state_left,
        drift.drift,
        dips.dip,
        precision.not_established,
        precision.precision_missed,
    }
)
"""Rules about repeats of one measurement. Rounds of a standard procedure are none: they change until they are steady,
follow each other without a pause, and the criterion of the procedure judges them."""

FINDINGS: Final = "findings"
"""The report section that names the rules that failed."""


def find(case: Case, failures: FailureLog = STRICT, *, in_rounds: bool = False) -> tuple[Finding, ...]:
    """The findings about a run, most severe first. Findings of equal severity keep the order of their rules.

    ``in_rounds`` says that the trials are rounds of a procedure, though the run does not have it any more.
    """
    in_rounds |= bool(case.run.header.plan.procedures)
    rules = [rule for rule in RULES if not in_rounds or rule not in OF_REPEATS]
    return most_severe_first(finding for rule in rules for finding in _apply(rule, case, failures))


def find_in(analysis: RunAnalysis, failures: FailureLog) -> tuple[Finding, ...]:
    """The findings about an analysed run. If a rule fails, the others still run. None without the analysis."""
    case = failures.attempt("the analysis required for findings", lambda: Case.of(analysis), lambda _: None, FINDINGS)
    return () if case is None else find(case, failures)


def _apply(rule: Rule, case: Case, failures: FailureLog) -> tuple[Finding, ...]:
    name = rule.__name__.strip("_").replace("_", " ")
    return failures.attempt(f"the findings about {name}", lambda: tuple(rule(case)), lambda _: (), FINDINGS)
