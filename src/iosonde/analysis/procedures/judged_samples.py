"""The judged samples of a long trial that ends once it is steady, as rounds."""

from collections.abc import Sequence

from iosonde.analysis.procedures.round_value import RoundValue
from iosonde.analysis.procedures.rounds import Counted, PhaseRounds
from iosonde.analysis.samples import BlockSamples
from iosonde.records import CellRecord, PhasePlan, SteadySamples, SteadyState, Tracked
from iosonde.vocabulary import Quantity


def judged_samples(phase: PhasePlan, record: CellRecord) -> PhaseRounds | None:
    """The judged sample of each whole block of the trial of a phase. None if the phase has no rule for samples.

    None as well if no block is whole.
    """
    rule = phase.stop
    if not isinstance(rule, SteadySamples):
        return None
    taken = BlockSamples(rule, record.workload.subject)
    for interval in record.intervals:
        taken.take(interval)
    return _as_rounds(phase, rule, record, taken.values) if taken.values else None


def _as_rounds(
    phase: PhasePlan, rule: SteadySamples, record: CellRecord, values: Sequence[float | None]
) -> PhaseRounds:
    return PhaseRounds(
        name=phase.name,
        role=phase.role,
        cells=(record.cell,),
        workloads={record.cell: record.workload},
        values=tuple((_round_value(rule.quantity, value),) for value in values),
        rule=SteadyState(
            tracked=(Tracked(cell=record.cell, quantity=rule.quantity),),
            window=rule.window,
            range_share=rule.range_share,
            excursion_share=rule.excursion_share,
            rounds_max=len(values),
        ),
        broken=frozenset(),
        counted=Counted.BLOCK,
    )


def _round_value(quantity: Quantity, value: float | None) -> RoundValue:
    """A round of which only one quantity is known."""
    if quantity is Quantity.BYTES_PER_S:
        return RoundValue(bytes_per_s=value)
    return RoundValue(iops=value) if quantity is Quantity.IOPS else RoundValue(latency_ns_mean=value)
