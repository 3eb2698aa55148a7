"""When a phase of a procedure ends: its stop rule, with the names of the cells that it tracks."""

from collections.abc import Mapping

from iosonde.errors import UsageError
from iosonde.plans.procedures.tables import PhaseTable, SteadyTable, TrackTable
from iosonde.records import CellPlan, PhaseStop, Rounds, SteadySamples, SteadyState, Tracked, Workload
from iosonde.records.pattern import parse_sizes
from iosonde.units import exact_size, format_duration


def stop_of(phase: PhaseTable, cells: Mapping[str, CellPlan]) -> PhaseStop:
    """The stop rule of a phase with these cells. Raises UsageError for a tracking variable that is no single cell."""
    steady = phase.steady
    if steady is None:
        return Rounds(rounds=phase.rounds)
    if steady.sample is not None and steady.block is not None:
        return _samples(phase, steady, steady.block // steady.sample, cells)
    return SteadyState(
        tracked=tuple(_tracked(each, phase, cells) for each in steady.track),
        window=steady.window,
        range_share=steady.range / 100,
        excursion_share=steady.slope / 100,
        rounds_max=steady.rounds_max,
    )


def check_idle(phase: PhaseTable, *, gap_ns: int) -> None:
    """Raises UsageError if the idle time before trials of rounds is a gap, so that no window could be complete.

    Times are those of the file: a procedure that is refused in full length is also refused on a smaller model.
    """
    idle_ns = max((each.idle for each in phase.cells), default=0)
    if phase.steady is not None and phase.steady.track and idle_ns > gap_ns:
        raise UsageError(
            f"the phase {phase.name} has {format_duration(idle_ns)} of idle time between trials, and a window may have "
            f"gaps of at most {format_duration(gap_ns)}",
            "set gap of the procedure to a longer time, or leave out idle",
        )


def _samples(phase: PhaseTable, steady: SteadyTable, samples: int, cells: Mapping[str, CellPlan]) -> SteadySamples:
    """The rule for samples of the only cell of a phase, whose timing has the scaled length of a block."""
    block_ns = None if len(cells) != 1 else next(iter(cells.values())).timing.decide_ns
    if block_ns is None:
        raise UsageError(
            f"the phase {phase.name} judges samples of one long trial, and has {len(cells)} cells",
            "specify one cell, or track a quantity over rounds",
        )
    timing = next(iter(cells.values())).timing
    longest_ns = timing.measure_ns if timing.amount_bytes is None else timing.limit_ns
    if longest_ns is not None and steady.window * block_ns > longest_ns:
        raise UsageError(
            f"the phase {phase.name} is too short for steady state over {steady.window} blocks of its samples",
            "set block to a shorter time, or the duration or limit of the cell to a longer one",
        )
    return SteadySamples(
        quantity=steady.quantity,
        sample_ns=block_ns // samples,
        block_ns=block_ns,
        sample_of=steady.sample_of,
        window=steady.window,
        range_share=steady.range / 100,
        excursion_share=steady.slope / 100,
    )


def _tracked(track: TrackTable, phase: PhaseTable, cells: Mapping[str, CellPlan]) -> Tracked:
    size = None if track.block_size is None else _size_text(track.block_size, phase)
    found = [name for name, cell in cells.items() if _is(cell.workload, track, size)]
    if len(found) == 1:
        return Tracked(cell=found[0], quantity=track.quantity)
    keys = track.model_dump(exclude_none=True, exclude={"quantity"})
    named = ", ".join(f"{key} = {value}" for key, value in keys.items())
    among = [cells[name].workload for name in found]
    if len({each.model_copy(update={"offset_bytes": 0, "span_bytes": None}) for each in among}) == 1:
        hint = "these keys do not distinguish zones; track a phase without zones"
    elif found:
        hint = "give as many of read, block_size, jobs and queue_depth as it takes to name one cell"
    else:
        hint = f"name a cell of the phase, such as {_keys(next(iter(cells.values())).workload)}"
    what = f"tracks {track.quantity} of the cell with {named}, and has {len(found)} such cells"
    raise UsageError(f"the phase {phase.name} {what}", hint)


def _is(workload: Workload, track: TrackTable, size: str | None) -> bool:
    asked = (
        (track.read, workload.read_percent),
        (size, workload.size_text),
        (track.jobs, workload.jobs),
        (track.queue_depth, workload.queue_depth),
    )
    return all(wanted is None or wanted == found for wanted, found in asked)


def _keys(workload: Workload) -> str:
    return f'read = {workload.read_percent}, block_size = "{workload.size_text.replace(" ", "")}"'


def _size_text(text: str, phase: PhaseTable) -> str:
    found = parse_sizes(text, f"block_size of a tracking variable of the phase {phase.name}")
    return exact_size(found) if isinstance(found, int) else str(found)
