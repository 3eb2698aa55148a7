"""Exports a run for other tools: four CSV files of flat tables, and one JSON document with everything."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from iosonde.analysis.block_sizes import LatencyModel, Regions
from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple, Property, contrasts_of
from iosonde.analysis.depth_tails import MULTIPLE_MAX, DepthTails, Position, depth_tails_of
from iosonde.analysis.interference import DirectionInMix, interference_of
from iosonde.analysis.knee import Knee
from iosonde.analysis.plateaus import Plateau, transfer_of
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.scaling import Scaling
from iosonde.analysis.sustained import Burst, Cause, LimitUnit, Range, Recovery, cause_of, limit_unit, sustained_of
from iosonde.analysis.tail_causes import TailCauses, tail_causes
from iosonde.analysis.target_state import RunState, target_state
from iosonde.explanations import Explanation, Mechanism, decision_for, explain
from iosonde.findings.case import Case
from iosonde.findings.finding import Confidence, Finding
from iosonde.records import Experiment, Operation, Outcome, RunRecord
from iosonde.report.headline import headline_of
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.knee_words import knee_sentence
from iosonde.report.validity import invalid_cells
from iosonde.safe_files import write_file
from iosonde.store import write_csv as write_csv_files

if TYPE_CHECKING:
    from iosonde.analysis.columns import Table

EXPORT_VERSION: Final = 3
SCHEMA_TITLE: Final = "iosonde run"


@dataclass(frozen=True)
class ExportedSizes:
    """A sweep over block sizes: its cells, its regions, and its latency model (None with too few block sizes)."""

    cells: tuple[str, ...]
    regions: Regions | None
    model: LatencyModel | None


@dataclass(frozen=True)
class ExportedContrast:
    """Two cells that differ in one property, and the ratios of the first to the second."""

    differs_in: Property
    one: str
    other: str
    iops: Multiple
    latency_mean: Multiple
    latency_p99: Multiple | None


@dataclass(frozen=True)
class ExportedMix:
    """A mix of reads and writes, compared with its pure workloads."""

    cell: str
    reads: DirectionInMix
    writes: DirectionInMix
    latency_of_weighted: Multiple


@dataclass(frozen=True)
class ExportedExplanation:
    """A mechanism that would explain the results, and the campaign (``profile``) that decides whether it does.

    ``expected`` is what that campaign shows if the explanation is right.
    """

    mechanism: Mechanism
    confidence: Confidence
    evidence: tuple[str, ...]
    against: tuple[str, ...]
    profile: str
    expected: str


@dataclass(frozen=True)
class ExportedTail:
    """One depth: percentiles divided by those at the next lower depth, and p99 divided by that at the lowest depth."""

    cell: str
    growth_p50: Multiple | None
    growth_p95: Multiple | None
    growth_p99: Multiple | None
    growth_p99_9: Multiple | None
    latency_p99_of_lowest: Multiple | None
    position: Position


@dataclass(frozen=True)
class ExportedDepthTails:
    """One class of operations at several queue depths.

    ``deepest`` is the cell of the deepest depth up to which p99 is at most ``multiple_max`` times as high as at the
    lowest depth; None if p99 at the lowest depth is unknown.
    """

    operation: Operation
    multiple_max: float
    deepest: str | None
    depths: tuple[ExportedTail, ...]


@dataclass(frozen=True)
class ExportedTransfer:
    """A preconditioning write or a stretch of a sustained cell, with its plateaus over the bytes transferred.

    ``idle_ns`` is the idle time before it.
    """

    cell: str
    repeat: int
    idle_ns: int
    bytes: int
    time_ns: int
    bytes_per_s: float
    plateaus: tuple[Plateau, ...]


@dataclass(frozen=True)
class ExportedBurst:
    """The bursts of a sustained workload: the cells of its stretches, what caused its drops, and what the limit counts.

    ``bursts`` has an entry for each stretch, None without a burst. ``bucket_ios`` is None unless the bucket was full
    before a stretch; ``least_ios`` is then a lower limit of its size. They are in operations of the workload's size.
    """

    cells: tuple[str, ...]
    cause: Cause | None
    limit_unit: LimitUnit
    bursts: tuple[Burst | None, ...]
    recoveries: tuple[Recovery, ...]
    bucket_ios: Range | None
    least_ios: Range | None


@dataclass(frozen=True)
class ExportedRun:
    """The JSON document: the stored record and the results computed from it. Units are in the names.

    ``headline`` has the main figures of the page and the terminal. ``block_sizes`` has each sweep over block sizes,
    ``contrasts`` each pair of cells that differ in one property, ``mixes`` each mix compared with its pure workloads,
    ``depth_tails`` the tail of each class of operations at several queue depths, ``transfers`` the plateaus of each
    preconditioning write and each stretch of a sustained cell, ``sustained`` the bursts of each sustained workload, and
    ``explanations`` the mechanisms that would explain the results, most likely first. The names of queue-depth sweeps
    (``read``, ``70/30 mix``) are the keys of ``sweeps`` (the cells of each), ``knees``, ``scalings`` and
    ``knee_sentences``.
    """

    export_version: int
    run: RunRecord
    cells: tuple[CellEstimate, ...]
    headline: tuple[HeadlineGroup, ...]
    sweeps: dict[str, tuple[str, ...]]
    knees: dict[str, Knee]
    scalings: dict[str, Scaling]
    knee_sentences: dict[str, str]
    block_sizes: tuple[ExportedSizes, ...]
    contrasts: tuple[ExportedContrast, ...]
    mixes: tuple[ExportedMix, ...]
    depth_tails: tuple[ExportedDepthTails, ...]
    explanations: tuple[ExportedExplanation, ...]
    transfers: tuple[ExportedTransfer, ...]
    sustained: tuple[ExportedBurst, ...]
    tail_causes: dict[str, TailCauses]
    """By cell, whether the host or the device delayed its slowest operations."""
    target_state: RunState
    findings: tuple[Finding, ...]
    invalid: dict[str, tuple[str, ...]]
    """Cells with invalid figures, each with the ids of the findings that make them invalid."""


def run_tables(analysis: RunAnalysis, findings: Sequence[Finding]) -> dict[str, "Table"]:
    """The flat tables of a run by name, for Parquet and CSV."""
    # Imported here: it imports NumPy, which the JSON document does not need.
    from iosonde.analysis.estimate_table import estimate_table
    from iosonde.analysis.tables import cell_table, tables_over_time
    from iosonde.findings.table import with_validity

    cells, estimates = (with_validity(table, findings) for table in (cell_table(analysis), estimate_table(analysis)))
    intervals, histograms = tables_over_time(analysis.run)
    return {"cells": cells, "estimates": estimates, "intervals": intervals, "histograms": histograms}


def write_csv(analysis: RunAnalysis, findings: Sequence[Finding], directory: Path) -> tuple[Path, ...]:
    """Writes ``cells.csv``, ``estimates.csv``, ``intervals.csv`` and ``histograms.csv``, replacing existing files.

    A missing value (for example a percentile without 10 samples beyond it) is an empty field.
    """
    return write_csv_files(directory, run_tables(analysis, findings))


def run_json(analysis: RunAnalysis, findings: Sequence[Finding]) -> str:
    """The record, its estimates, knees, scaling and findings as one JSON document."""
    estimates = analysis.estimates
    headline = headline_of(estimates, findings)
    document = ExportedRun(
        export_version=EXPORT_VERSION,
        run=analysis.recorded,
        cells=estimates.cells,
        headline=headline.groups,
        sweeps={each.name: tuple(cell.cell for cell in each.sweep.cells) for each in headline.knees},
        knees={each.name: each.knee for each in headline.knees},
        scalings={each.name: each.sweep.scaling for each in headline.knees},
        knee_sentences={each.name: knee_sentence(each.operations, each.knee) for each in headline.knees},
        block_sizes=tuple(
            ExportedSizes(tuple(cell.cell for cell in sweep.cells), sweep.regions, sweep.model)
            for sweep in estimates.size_sweeps
        ),
        contrasts=tuple(
            ExportedContrast(
                each.differs_in, each.one.cell, each.other.cell, each.iops, each.latency_mean, each.latency_p99
            )
            for each in contrasts_of(estimates.without_sustained.cells)
        ),
        mixes=tuple(
            ExportedMix(each.cell.cell, each.reads, each.writes, each.latency_of_weighted)
            for each in interference_of(estimates.without_sustained.cells, estimates.without_sustained.cells)
        ),
        depth_tails=tuple(_exported_tails(each) for each in depth_tails_of(estimates.without_sustained.cells)),
        explanations=tuple(_explanation(each) for each in explain(Case.of(analysis), findings)),
        transfers=tuple(_transfers(analysis.run)),
        sustained=tuple(_sustained(analysis.run)),
        tail_causes={
            cell.cell: causes for cell in estimates.cells if (causes := tail_causes(cell.repeats.used)) is not None
        },
        target_state=target_state(analysis),
        findings=tuple(findings),
        invalid=invalid_cells((cell.cell for cell in estimates.cells), findings),
    )
    return TypeAdapter(ExportedRun).dump_json(document).decode()


def _explanation(found: Explanation) -> ExportedExplanation:
    decision = decision_for(found)
    return ExportedExplanation(
        found.mechanism, found.confidence, found.evidence, found.against, decision.profile, decision.expected
    )


def _exported_tails(tails: DepthTails) -> ExportedDepthTails:
    return ExportedDepthTails(
        tails.operation,
        MULTIPLE_MAX,
        None if tails.deepest is None else tails.deepest.cell,
        tuple(
            ExportedTail(
                each.cell.cell,
                growth_p50=each.of_previous.get(50.0),
                growth_p95=each.of_previous.get(95.0),
                growth_p99=each.of_previous.get(99.0),
                growth_p99_9=each.of_previous.get(99.9),
                latency_p99_of_lowest=each.of_lowest,
                position=each.position,
            )
            for each in tails.depths
        ),
    )


def _transfers(run: RunRecord) -> Iterator[ExportedTransfer]:
    for record in (*run.preparation, *run.cells):
        is_transfer = record.is_preparation or Experiment.SUSTAINED in record.experiments
        if is_transfer and record.outcome is Outcome.FINISHED:
            found = transfer_of(record)
            yield ExportedTransfer(
                cell=record.cell,
                repeat=record.repeat,
                idle_ns=record.timing.idle_ns,
                bytes=found.bytes,
                time_ns=found.time_ns,
                bytes_per_s=found.mean_bytes_per_s,
                plateaus=found.plateaus,
            )


def _sustained(run: RunRecord) -> Iterator[ExportedBurst]:
    found = sustained_of(run.cells)
    for each in found:
        cause = cause_of(each, found)
        yield ExportedBurst(
            cells=tuple(stretch.cell for stretch in each.stretches),
            cause=cause,
            limit_unit=limit_unit(each, found),
            bursts=each.bursts,
            recoveries=each.recoveries,
            bucket_ios=each.bucket_ios if cause is Cause.CREDITS else None,
            least_ios=each.least_ios if cause is Cause.CREDITS else None,
        )


def export_schema() -> dict[str, Any]:
    """The JSON Schema of that document (docs/run.schema.json), for editors and programs."""
    schema = TypeAdapter(ExportedRun).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": SCHEMA_TITLE}


def write_json(analysis: RunAnalysis, findings: Sequence[Finding], path: Path) -> None:
    """Writes that document, replacing an existing file."""
    write_file(path, run_json(analysis, findings))
