"""When a phase of a procedure ends: its stop rule, with the names of the cells that it tracks."""

from collections.abc import Mapping

from iosonde.errors import UsageError
from iosonde.plans.procedures.tables import PhaseTable, SteadyTable, TrackTable
from iosonde.records import CellPlan, PhaseStop, Rounds, SteadySamples, SteadyState, Tracked, Workload
from iosonde.units import exact_size, parse_bytes


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


def _samples(phase: PhaseTable, steady: SteadyTable, samples: int, cells: Mapping[str, CellPlan]) -> SteadySamples:
    """The rule for samples of the only cell of a phase, whose timing has the scaled length of a block."""
    block_ns = None if len(cells) != 1 else next(iter(cells.values())).timing.decide_ns
    if block_ns is None:
        raise UsageError(
            f"the phase {phase.name} judges samples of one long trial, and has {len(cells)} cells",
            "specify one cell, or track a quantity over rounds",
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
    found = [name for name, cell in cells.items() if _is(cell.workload, track)]
    if len(found) != 1:
        size = f" and block_size = {track.block_size}" if track.block_size else ""
        raise UsageError(
            f"the phase {phase.name} tracks {track.quantity} of the cell with read = {track.read}{size}, and has "
            f"{len(found)} such cells",
            "give as many of read, block_size, jobs and queue_depth as it takes to name one cell",
        )
    return Tracked(cell=found[0], quantity=track.quantity)


def _is(workload: Workload, track: TrackTable) -> bool:
    asked = (
        (track.read, workload.read_percent),
        (None if track.block_size is None else _size_text(track.block_size), workload.size_text),
        (track.jobs, workload.jobs),
        (track.queue_depth, workload.queue_depth),
    )
    return all(wanted is None or wanted == found for wanted, found in asked)


def _size_text(text: str) -> str:
    try:
        return exact_size(parse_bytes(text, ""))
    except UsageError:
        return text
