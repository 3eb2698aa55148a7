"""Runs that show the marks of a mechanism, or none, and what is said of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import Explanation, Mechanism, explain
from iosonde.findings import Case, Finding
from iosonde.records import RunRecord, Workload
from tests.sweep_builder import run_of_cells

US = 1_000


def thrice(latency_us: float) -> list[float]:
    """The mean latencies of three repeats, in nanoseconds."""
    return [latency_us * US * share for share in (0.99, 1.0, 1.01)]


def scattered(latency_us: float) -> list[float]:
    """Three repeats that differ so much that their mean says little."""
    return [latency_us * US * share for share in (0.3, 1.0, 4.0)]


def explained(run: RunRecord, findings: Sequence[Finding] = ()) -> dict[Mechanism, Explanation]:
    """The explanations of a run by their mechanism."""
    return {each.mechanism: each for each in explain(Case.of(RunAnalysis(run)), findings)}


def explained_cells(cells: Mapping[Workload, Sequence[float]]) -> dict[Mechanism, Explanation]:
    """The explanations of cells with these mean latencies of their repeats in nanoseconds."""
    return explained(run_of_cells(cells))


def on_device(run: RunRecord, **facts: Any) -> RunRecord:
    """The same run on a device with these facts."""
    device = run.header.target.device
    assert device is not None
    return on_target(run, device=device.model_copy(update=facts))


def on_target(run: RunRecord, **facts: Any) -> RunRecord:
    """The same run on a target with these facts."""
    target = run.header.target.model_copy(update=facts)
    return run.model_copy(update={"header": run.header.model_copy(update={"target": target})})
