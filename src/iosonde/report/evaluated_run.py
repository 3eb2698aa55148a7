"""A run with everything that its report needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.procedures import ProcedureRounds
from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.findings.finding import Finding, most_severe_first
from iosonde.records import Aim, Experiment, RunRecord
from iosonde.report.headline import headline_of
from iosonde.report.headline_figures import Headline
from iosonde.report.titles import IN_SHORT
from iosonde.report.validity import Invalid, invalid_cells

if TYPE_CHECKING:
    from iosonde.charts.figure import Figure
    from iosonde.charts.limit_lines import Limit
    from iosonde.expectations import CheckedResults


@dataclass(frozen=True)
class EvaluatedRun:
    """A run, its figures, its findings (most severe first), and the cells that the findings make invalid.

    ``estimates`` and ``headline`` are empty if they could not be computed. ``deviations`` is whether tables also show
    standard deviations over repeats. ``checked`` are expected values with their verdicts, None if none were given.
    ``procedure_charts`` are charts of procedures that were built before the findings, by id.
    """

    analysis: RunAnalysis
    estimates: RunEstimates
    headline: Headline
    findings: tuple[Finding, ...]
    invalid: Invalid
    deviations: bool = False
    checked: "CheckedResults | None" = None
    procedure_charts: Mapping[str, "Figure"] = field(default_factory=dict)

    @cached_property
    def limits(self) -> tuple["Limit", ...]:
        """The expected values to draw in the charts."""
        if self.checked is None:
            return ()
        # Imported here: few reports have expected values, and their files' schema takes long to load.
        from iosonde.report.expected_limits import limits_of

        return limits_of(self.checked)

    @property
    def procedures(self) -> tuple[ProcedureRounds, ...]:
        """The standard procedures that the run consists of; none for any other run."""
        return self.analysis.procedures

    @property
    def run(self) -> RunRecord:
        """The record."""
        return self.analysis.run

    def cells(self, experiment: Experiment) -> tuple[CellEstimate, ...]:
        """The cells of an experiment."""
        return self.estimates.of(experiment)

    @property
    def aim_ended(self) -> Aim | None:
        """The requested precision; None if none was requested or the run is unfinished."""
        return self.run.header.plan.aim if self.run.finished else None

    @property
    def swept(self) -> Experiment:
        """The experiment whose chapter has the further trade-off charts."""
        return Experiment.QUEUE_DEPTH if self.cells(Experiment.QUEUE_DEPTH) else Experiment.MATRIX


def evaluated(
    analysis: RunAnalysis,
    findings: Sequence[Finding],
    failures: FailureLog,
    *,
    deviations: bool = False,
    checked: "CheckedResults | None" = None,
) -> EvaluatedRun:
    """The run with its figures. A part that fails is empty, and ``failures`` records it."""
    run = analysis.run
    estimates = failures.attempt(
        "the analysis of the run",
        lambda: analysis.estimates,
        lambda _: RunEstimates((), {}, preparation=run.preparation),
        IN_SHORT.id,
    )
    headline = failures.attempt(
        "the headline",
        lambda: headline_of(estimates, findings, run.header.plan.aim if run.finished else None),
        lambda _: Headline((), ()),
        IN_SHORT.id,
    )
    invalid = invalid_cells((cell.cell for cell in estimates.cells), findings)
    return EvaluatedRun(analysis, estimates, headline, most_severe_first(findings), invalid, deviations, checked)
