"""The JSON document of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.knee import Knee
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.scaling import Scaling
from iosonde.analysis.tail_causes import TailCauses, tail_causes
from iosonde.analysis.target_state import RunState, target_state
from iosonde.explanations import Examined
from iosonde.findings.finding import Finding
from iosonde.records import RunRecord
from iosonde.report.export.comparisons import (
    ExportedContrast,
    ExportedMix,
    ExportedOffsets,
    ExportedSizes,
    ExportedSpans,
    exported_contrasts,
    exported_mixes,
    exported_offsets,
    exported_sizes,
    exported_spans,
)
from iosonde.report.export.explanations import (
    ExportedExplanation,
    ExportedObservation,
    exported_explanations,
)
from iosonde.report.export.procedures import ExportedProcedure, exported_procedures
from iosonde.report.export.tails import ExportedDepthTails, exported_depth_tails
from iosonde.report.export.transfers import ExportedBurst, ExportedTransfer, exported_bursts, exported_transfers
from iosonde.report.headline import headline_of
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.knee_words import knee_sentence
from iosonde.report.validity import invalid_cells
from iosonde.safe_files import write_file

EXPORT_VERSION: Final = 3
SCHEMA_TITLE: Final = "iosonde run"


@dataclass(frozen=True)
class ExportedRun:
    """The JSON document: the stored record and the results computed from it. Units are in the names.

    ``headline`` has the main figures of the page and the terminal. ``block_sizes`` has each sweep over block sizes,
    ``span_sweeps`` and ``offset_sweeps`` each sweep over the size and the offset of the test region, ``contrasts`` each
    pair of cells that differ in one property, ``mixes`` each mix compared with its pure workloads, ``depth_tails`` the
    tail of each class of operations at several queue depths, ``transfers`` the plateaus of each preconditioning write
    and each stretch of a sustained cell, ``sustained`` the bursts of each sustained workload, and ``explanations`` the
    mechanisms that would explain the results, most likely first. ``mechanisms`` has what the run shows of every one of
    them, and ``observations`` what asks for a cause. ``procedures`` are the standard procedures that the run consists
    of. The names of queue-depth sweeps (``read``, ``70/30
    mix``) are the keys of ``sweeps`` (the cells of each), ``knees``, ``scalings`` and ``knee_sentences``.
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
    span_sweeps: tuple[ExportedSpans, ...]
    offset_sweeps: tuple[ExportedOffsets, ...]
    contrasts: tuple[ExportedContrast, ...]
    mixes: tuple[ExportedMix, ...]
    depth_tails: tuple[ExportedDepthTails, ...]
    explanations: tuple[ExportedExplanation, ...]
    mechanisms: tuple[Examined, ...]
    observations: tuple[ExportedObservation, ...]
    transfers: tuple[ExportedTransfer, ...]
    sustained: tuple[ExportedBurst, ...]
    tail_causes: dict[str, TailCauses]
    """By cell, whether the host or the device delayed its slowest operations."""
    target_state: RunState
    procedures: tuple[ExportedProcedure, ...]
    findings: tuple[Finding, ...]
    invalid: dict[str, tuple[str, ...]]
    """Cells with invalid figures, each with the ids of the findings that make them invalid."""


def run_json(analysis: RunAnalysis, findings: Sequence[Finding]) -> str:
    """The record, its estimates, knees, scaling and findings as one JSON document."""
    estimates = analysis.estimates
    level = estimates.without_sustained.cells
    headline = headline_of(estimates, findings)
    invalid = invalid_cells((cell.cell for cell in estimates.cells), findings)
    explanations, mechanisms, observed = exported_explanations(analysis, findings)
    document = ExportedRun(
        export_version=EXPORT_VERSION,
        run=analysis.recorded,
        cells=estimates.cells,
        headline=headline.groups,
        sweeps={each.name: tuple(cell.cell for cell in each.sweep.cells) for each in headline.knees},
        knees={each.name: each.knee for each in headline.knees},
        scalings={each.name: each.sweep.scaling for each in headline.knees},
        knee_sentences={each.name: knee_sentence(each.operations, each.knee) for each in headline.knees},
        block_sizes=tuple(exported_sizes(estimates)),
        span_sweeps=tuple(exported_spans(level)),
        offset_sweeps=tuple(exported_offsets(level)),
        contrasts=tuple(exported_contrasts(level)),
        mixes=tuple(exported_mixes(level)),
        depth_tails=tuple(exported_depth_tails(level)),
        explanations=explanations,
        mechanisms=mechanisms,
        observations=observed,
        transfers=tuple(exported_transfers(estimates)),
        sustained=tuple(exported_bursts(estimates)),
        tail_causes={
            cell.cell: causes for cell in estimates.cells if (causes := tail_causes(cell.repeats.used)) is not None
        },
        target_state=target_state(analysis),
        procedures=tuple(exported_procedures(analysis.recorded, invalid)),
        findings=tuple(findings),
        invalid=invalid,
    )
    return TypeAdapter(ExportedRun).dump_json(document).decode()


def export_schema() -> dict[str, Any]:
    """The JSON Schema of that document (docs/run.schema.json), for editors and programs."""
    schema = TypeAdapter(ExportedRun).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": SCHEMA_TITLE}


def write_json(analysis: RunAnalysis, findings: Sequence[Finding], path: Path) -> None:
    """Writes that document, replacing an existing file."""
    write_file(path, run_json(analysis, findings))
