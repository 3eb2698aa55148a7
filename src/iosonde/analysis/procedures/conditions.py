"""The mandatory conditions of a procedure, each verified, failed, skipped or unknown, with the reason."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from iosonde.analysis.drive_counters import Counter, DriveChange, changes_of
from iosonde.analysis.procedures.condition import Condition, ConditionState
from iosonde.analysis.procedures.courses import scale_of
from iosonde.analysis.procedures.from_run import trials_of_procedure
from iosonde.analysis.procedures.gap_condition import gap_condition
from iosonde.analysis.procedures.rounds import ProcedureRounds
from iosonde.analysis.procedures.steady_condition import NONE_INVALID, steady_condition
from iosonde.records import CellRecord, FastRandom, Operation, Outcome, ProcedureStart, RunRecord, TargetFacts, Workload
from iosonde.units import format_amount, format_duration, format_size
from iosonde.vocabulary import Data, PhaseRole, PurgeState

PRECONDITIONING: Final = "Preconditioning"
ROUNDED_BYTES_MAX: Final = 8 << 20
"""A test region is whole blocks of 1 MiB, or of 8 MiB on a large simulated drive. Capacities seldom are."""

_WORST_FIRST: Final = tuple(ConditionState)


def conditions_of(
    run: RunRecord, rounds: ProcedureRounds, invalid: Mapping[str, Sequence[str]] = NONE_INVALID
) -> tuple[Condition, ...]:
    """All mandatory conditions of a procedure, those that were not verified first.

    ``invalid`` has the cells whose figures are invalid, each with the findings that say so: steady state is unknown if
    it was judged by one of them.
    """
    trials = trials_of_procedure(run, rounds.procedure.name)
    found = (
        _purge(run, rounds),
        _preconditioning(run, rounds, trials),
        _write_cache(run, trials),
        _active_range(run, rounds),
        _data_pattern(trials),
        _link(run),
        _thermal(run, trials),
        steady_condition(run, rounds, invalid),
        gap_condition(rounds, trials, scale_of(run)),
    )
    return worst_first(found)


def worst_first(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Conditions in the order of how far they are from being verified."""
    return tuple(sorted(conditions, key=lambda each: _WORST_FIRST.index(each.state)))


def start_of(run: RunRecord, rounds: ProcedureRounds) -> ProcedureStart | None:
    """The start of the last attempt of a procedure; None if it has not begun."""
    mine = [each for each in run.procedure_starts if each.procedure == rounds.procedure.name]
    return max(mine, key=lambda each: each.attempt, default=None)


def _purge(run: RunRecord, rounds: ProcedureRounds) -> Condition:
    start = start_of(run, rounds)
    if start is None:
        return Condition("Purge", ConditionState.UNKNOWN, "the procedure has not begun")
    methods = ", ".join(dict.fromkeys(str(each.purge.method.value) for each in start.records))
    state, said = {
        PurgeState.VERIFIED: (ConditionState.VERIFIED, f"{methods or 'purged'}, read back"),
        PurgeState.SIMULATED: (ConditionState.SIMULATED, "the model was put back to its fresh state"),
        PurgeState.FAILED: (ConditionState.FAILED, "the purge failed"),
        PurgeState.SKIPPED: (ConditionState.SKIPPED, "nothing was purged"),
    }[start.purge]
    return Condition("Purge", state, start.reason or said)


def _preconditioning(run: RunRecord, rounds: ProcedureRounds, trials: Sequence[CellRecord]) -> Condition:
    name = PRECONDITIONING
    phases = [each for each in rounds.procedure.phases if each.role is PhaseRole.PRECONDITIONING]
    if not phases:
        return Condition(name, ConditionState.SKIPPED, "the procedure has no workload-independent preconditioning")
    cells = {cell for phase in phases for cell in phase.cells}
    mine = [each for each in trials if each.cell in cells]
    written = sum(each.operations[Operation.WRITE].bytes for each in mine if Operation.WRITE in each.operations)
    if not mine or any(each.outcome is not Outcome.FINISHED for each in mine):
        if run.damage is not None:
            return Condition(name, ConditionState.UNKNOWN, "part of the journal is unreadable")
        return Condition(name, ConditionState.FAILED, f"it did not finish; {format_amount(written)} were written")
    asked = sum(each.timing.amount_bytes or 0 for each in mine) * max(len(mine[0].targets), 1)
    if written < asked:
        said = f"{format_amount(written)} of {format_amount(asked)} were written"
        return Condition(name, ConditionState.FAILED, said)
    start = start_of(run, rounds)
    is_purged = start is not None and start.purge in {PurgeState.VERIFIED, PurgeState.SIMULATED}
    modelled = [each.order for each in mine if isinstance(each.workload.pattern, FastRandom)]
    is_written = any(each.order < min(modelled) and each.workload.writes for each in trials) if modelled else False
    if modelled and (not is_purged or is_written):
        why = "the drive was written to before" if is_purged else "no purge was verified"
        said = f"{format_amount(written)} were written, modelled for an empty drive, but {why}"
        return Condition(name, ConditionState.UNKNOWN, said)
    return Condition(name, ConditionState.VERIFIED, f"{format_amount(written)} were written")


def _write_cache(run: RunRecord, trials: Sequence[CellRecord]) -> Condition:
    name = "Write cache"
    asked = {each.workload.write_cache for each in trials}
    if trials and None not in asked:
        states = " and ".join(sorted(str(each) for each in asked))
        return Condition(name, ConditionState.VERIFIED, f"{states}, set before the trials and read back")
    if run.header.is_simulated:
        return Condition(name, ConditionState.SIMULATED, "the write cache of a model cannot be set")
    if run.header.target.kind == "file":
        said = "not set: for a file, the cache of the drive below is left as it was"
        return Condition(name, ConditionState.UNKNOWN, said)
    device = run.header.target.device
    reported = "" if device is None or not device.write_cache else f"; the kernel takes it for {device.write_cache}"
    return Condition(name, ConditionState.UNKNOWN, f"it was not set{reported}")


def _active_range(run: RunRecord, rounds: ProcedureRounds) -> Condition:
    """The range on the target of which it is known least, or covers least."""
    found = [_range_of_target(run, rounds, each) for each in run.header.targets]
    worst = worst_first(found)[0]
    several = len(found) > 1 and len(set(found)) > 1
    whose = f"{run.header.targets[found.index(worst)].path}: " if several else ""
    return replace(worst, reason=f"{whose}{worst.reason}")


def _range_of_target(run: RunRecord, rounds: ProcedureRounds, target: TargetFacts) -> Condition:
    name, percent = "Active range", rounds.procedure.active_range_percent
    span = run.header.plan.span_bytes
    amount = f"{percent} % of {format_size(span)}"
    if target.simulation is not None:
        size = target.simulation.size_bytes
        if size is not None and span <= size - ROUNDED_BYTES_MAX:
            said = f"{amount}, on a simulated drive of {format_size(size)}"
            return Condition(name, ConditionState.FAILED, said)
        return Condition(
            name, ConditionState.SIMULATED, f"{percent} % of the whole model, which has {format_size(span)}"
        )
    if target.kind == "file":
        said = f"{amount}, a file: it covers a part of the device, at offsets that the file system chose"
        return Condition(name, ConditionState.SKIPPED, said)
    size = target.device.size_bytes if target.device is not None else None
    if size is None:
        return Condition(name, ConditionState.UNKNOWN, f"{amount}; the capacity of the device is unknown")
    if span <= size - ROUNDED_BYTES_MAX:
        said = f"{amount}, on a device of {format_size(size)}"
        return Condition(name, ConditionState.FAILED, said)
    return Condition(name, ConditionState.VERIFIED, f"{amount}, from the start of the device")


def _data_pattern(trials: Sequence[CellRecord]) -> Condition:
    name = "Data pattern"
    writing = [each.workload for each in trials if each.workload.writes]
    if not writing:
        return Condition(name, ConditionState.SKIPPED, "nothing was written")
    words = ", ".join(dict.fromkeys(map(data_text, writing)))
    is_random = all(
        each.data is Data.RANDOM and not each.compressible_percent and not each.duplicates_percent for each in writing
    )
    if is_random:
        return Condition(name, ConditionState.VERIFIED, words)
    return Condition(name, ConditionState.FAILED, f"{words}; SNIA procedures require random data")


def data_text(workload: Workload) -> str:
    """The written data of a workload in words."""
    parts = [f"{workload.data} data"]
    if workload.compressible_percent:
        parts.append(f"{workload.compressible_percent} % compressible")
    if workload.duplicates_percent:
        parts.append(f"{workload.duplicates_percent} % duplicates")
    return " with ".join(filter(None, [parts[0], " and ".join(parts[1:])]))


def _link(run: RunRecord) -> Condition:
    name = "Link"
    if run.header.is_simulated:
        return Condition(name, ConditionState.SIMULATED, "the link of a model does not change")
    before = {drive.disk: drive.health.link for drive in run.header.drives}
    after = {drive.disk: drive.health.link for drive in run.end.drives} if run.end is not None else {}
    if not before or None in before.values():
        return Condition(name, ConditionState.UNKNOWN, "the kernel does not report it")
    if run.end is None or None in after.values() or set(after) != set(before):
        links = ", ".join(f"{link}" for link in before.values())
        return Condition(name, ConditionState.UNKNOWN, f"{links} at the start, unknown at the end")
    changed = [f"{disk}: {link}, at the end {after[disk]}" for disk, link in before.items() if after[disk] != link]
    if changed:
        return Condition(name, ConditionState.FAILED, "; ".join(changed))
    return Condition(name, ConditionState.VERIFIED, f"{', '.join(map(str, before.values()))} at the start and the end")


def _thermal(run: RunRecord, trials: Sequence[CellRecord]) -> Condition:
    name = "Temperature"
    throttled, hot = _heat(run, trials)
    if throttled or hot:
        parts = [
            *([f"throttled for {format_duration(throttled)}"] if throttled else []),
            *([f"{format_duration(hot)} above the warning temperature"] if hot else []),
        ]
        whose = "the drive" if len(run.header.targets) == 1 else "one of the drives"
        # A model counts both together. The counters of real drives are those of their temperature.
        why = ", by its temperature or its power limit" if throttled and run.header.is_simulated else ""
        return Condition(name, ConditionState.FAILED, f"{whose} was {' and '.join(parts)}{why}")
    if throttled is None:
        if run.header.is_simulated:
            return Condition(name, ConditionState.SIMULATED, "the model has no temperature")
        return Condition(name, ConditionState.UNKNOWN, "the drive does not report whether it throttled")
    state = ConditionState.SIMULATED if run.header.is_simulated else ConditionState.VERIFIED
    return Condition(name, state, f"the {'model' if run.header.is_simulated else 'drive'} did not throttle")


def _heat(run: RunRecord, trials: Sequence[CellRecord]) -> tuple[int | None, int | None]:
    """For how long a drive throttled, and was above its warning temperature, in the trials of a procedure.

    Of several drives, the longest time of each.
    """
    orders = {each.order for each in trials}
    # The streams of a trial share the change of their drives.
    changes = {record.order: change for record, change in changes_of(run) if record.order in orders}
    known = [each for each in changes.values() if each is not None]
    return _longest(known, "throttled_ns"), _longest(known, "hot_ns")


def _longest(changes: Sequence[DriveChange], counter: Counter) -> int | None:
    """The sum over the trials for each drive, the largest of all drives; None if a change is unknown."""
    by_drive: dict[str, int] = defaultdict(int)
    for change in changes:
        for disk, ns in zip(change.disks, change.of_each(counter), strict=True):
            if ns is None:
                return None
            by_drive[disk] += ns
    return max(by_drive.values(), default=None)


def not_verified(conditions: Sequence[Condition]) -> Iterator[Condition]:
    """The conditions that were not verified on a real drive."""
    return (each for each in conditions if each.state is not ConditionState.VERIFIED)
