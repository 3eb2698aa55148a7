"""The part of a cell's frame that a listing reads: its totals, and whether the repeat is used."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from iosonde.records import (
    CellPlan,
    CellRecord,
    CpuUse,
    Failure,
    Histogram,
    Layout,
    Neighbour,
    Operation,
    OperationTotals,
    Outcome,
    Timing,
    WithinRepeat,
)
from iosonde.vocabulary import FailureKind


class _Sum(BaseModel):
    """The sum of a distribution."""

    ns_sum: int


class _Totals(BaseModel):
    """The fields of totals from which means are calculated."""

    count: int
    bytes: int
    latency_ns_sum: int
    response: _Sum | None = None

    def totals(self) -> OperationTotals:
        """Totals without a histogram; with response latencies instead of service latencies if there are any."""
        ns_sum = self.latency_ns_sum if self.response is None else self.response.ns_sum
        return OperationTotals(
            count=self.count,
            bytes=self.bytes,
            latency_ns_sum=ns_sum,
            latency_ns_min=0,
            latency_ns_max=0,
            latency=Histogram(layout=Layout(), bucket=(), count=()),
        )


class _Failure(BaseModel):
    """The kind of a failure."""

    kind: FailureKind


class CellFigures(BaseModel):
    """The fields of a cell's record for means, and for whether the repeat is used. All others are skipped."""

    cell: str
    repeat: int
    order: int
    seed: int
    timing: Timing
    outcome: Outcome
    failure: _Failure | None = None
    measured_ns: int
    operations: dict[Operation, _Totals]
    neighbours: tuple[Neighbour, ...] = ()
    cpu: CpuUse | None = None
    within: WithinRepeat | None = None

    @property
    def is_silent(self) -> bool:
        """Whether a requested operation never completed, in a measurement that took its time."""
        return self.failure is not None and self.failure.kind is FailureKind.NOTHING_COMPLETED and self.measured_ns > 0

    def record(self, plan: CellPlan) -> CellRecord:
        """A record with these fields only."""
        return CellRecord(
            cell=self.cell,
            experiments=plan.experiments,
            repeat=self.repeat,
            order=self.order,
            seed=self.seed,
            workload=plan.workload,
            timing=self.timing,
            outcome=self.outcome,
            failure=None if self.failure is None else Failure(kind=self.failure.kind, message=""),
            measured_ns=self.measured_ns,
            operations={operation: each.totals() for operation, each in self.operations.items()},
            warmup={},
            neighbours=self.neighbours,
            cpu=self.cpu,
            within=self.within,
        )


CELL_FIGURES: Final = TypeAdapter(CellFigures)

CELL_KEYS: Final = frozenset(CellFigures.model_fields)
"""The keys of a cell that a listing reads."""
