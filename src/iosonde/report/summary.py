"""The terminal summary at the end of a run: one screen of 80 by 24 characters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.run import RunAnalysis
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.finding import Finding, Severity, most_severe_first
from iosonde.findings.rules import FINDINGS
from iosonde.printing import printable
from iosonde.records import Experiment
from iosonde.report.brand import Brand, brands_of
from iosonde.report.dashes import Dash, explained
from iosonde.report.display import figure_text
from iosonde.report.headline import headline_of
from iosonde.report.headline_figures import Headline, HeadlineFigure, HeadlineGroup
from iosonde.report.knee_words import TOLD_IN_FULL_MAX, knee_sentence, knees_in_brief, knees_named
from iosonde.report.preconditioning_words import prepared_sentence
from iosonde.report.sentences import experiment_sentence
from iosonde.report.sustained_words import sustained_brief
from iosonde.report.target_words import span_text, targets_text
from iosonde.report.terminal.brands import brand_text
from iosonde.report.terminal.text_direction import failed
from iosonde.report.validity import MARK, UNRELIABLE, Invalid, invalid_cells, see

LINES_MAX: Final = 23
"""One of the 24 lines is for the prompt."""

FINDINGS_MIN: Final = 1
"""At least this many findings are shown, even if a narrow terminal has no lines left."""

FINDINGS_LINES_MIN: Final = 3
"""The lines for findings: their counts, one of them, and the number of others."""

FIGURES_WIDTH_MIN: Final = 30
"""A column of figures that is narrower wraps in the middle of a figure."""

_INTERVALS: Final = "Means ± half-width or (limits) of 95 % CI; percentiles from merged histograms."
_STYLES: Final = {Severity.INVALID: "bold red", Severity.DOUBTFUL: "yellow", Severity.NOTE: "cyan"}


def render_summary(
    analysis: RunAnalysis, findings: Sequence[Finding], report_path: Path | None, failures: FailureLog = STRICT
) -> "RunSummary":
    """The summary of a run for ``rich.print``: headline, knees, most severe findings, and the path of the report.

    A notice replaces each part that fails; ``failures`` records it.
    """
    run = analysis.run
    estimates = failures.attempt(
        "the analysis of the run", lambda: analysis.estimates, lambda _: RunEstimates((), {}), SUMMARY
    )
    invalid = invalid_cells((cell.cell for cell in estimates.cells), findings)
    return RunSummary(
        target=printable(targets_text(run.header)),
        profile=run.header.plan.profile,
        span=span_text(run.header),
        brands=brands_of(run),
        headline=failures.attempt(
            "the headline",
            # The figures of several procedures under one name would look like those of one of them, and the mean of a
            # long trial like its result.
            lambda: (
                Headline((), ())
                if len(run.header.plan.procedures) > 1 or run.header.plan.has_long_trials
                else headline_of(estimates, findings)
            ),
            lambda _: Headline((), ()),
            SUMMARY,
        ),
        matrix=failures.attempt(
            "the matrix summary",
            lambda: _said(analysis, estimates, findings, invalid),
            lambda _: "",
            SUMMARY,
        ),
        findings=most_severe_first(findings),
        report_path=None if report_path is None else printable(str(report_path)),
        failures=failures,
    )


SUMMARY: Final = "summary"
"""The section of the failure log for parts of the summary. Their notices are shown below the headline."""


def _said(analysis: RunAnalysis, estimates: RunEstimates, findings: Sequence[Finding], invalid: Invalid) -> str:
    """What the run prepared, the verdicts of its procedures, or the results of its matrix."""
    if analysis.run.header.plan.procedures:
        # Imported here: few runs have procedures, and it imports NumPy and the charts.
        from iosonde.report.procedures.summary_blocks import procedure_answer

        return " ".join(procedure_answer(analysis.recorded, each, findings) for each in analysis.procedures)
    return prepared_sentence(analysis.run) or _matrix_sentence(estimates, invalid)


def _matrix_sentence(estimates: RunEstimates, invalid: Invalid) -> str:
    matrix = experiment_sentence(Experiment.MATRIX, estimates, invalid) if estimates.of(Experiment.MATRIX) else ""
    return " ".join(filter(None, [matrix, sustained_brief(estimates.sustained, invalid)]))


@dataclass(frozen=True)
class RunSummary:
    """A summary that fits its console. External text is never interpreted as markup."""

    target: str
    profile: str
    span: str
    brands: tuple[Brand, ...]
    headline: Headline
    matrix: str
    findings: tuple[Finding, ...]
    report_path: str | None
    failures: FailureLog = STRICT

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The parts from top to bottom. Findings get the lines that remain."""
        intervals = [Text(_INTERVALS, style="dim")] if self.headline.groups else []
        head = [self._title(), *map(brand_text, self.brands), *intervals]
        figures, notes = self.failures.attempt(
            "the headline table",
            lambda: _figures_table(self.headline.groups, options.max_width),
            lambda _: (Table(), ()),
            SUMMARY,
        )
        foot = [] if self.report_path is None else [Text.assemble("Report: ", (self.report_path, "bold"))]
        used = _height(console, options, figures)
        used += sum(_height(console, options, part) for part in (*head, *notes, *foot))
        knees = self.failures.attempt(
            "the knees", lambda: self._knees(console, options, LINES_MAX - used), lambda _: [], SUMMARY
        )
        knees += [
            failed(sentence) for section in (SUMMARY, FINDINGS) for sentence in self.failures.sentences_of(section)
        ]
        used += sum(_height(console, options, part) for part in knees)
        yield from head
        yield figures
        yield from notes
        yield from knees
        yield from self._findings(console, options, LINES_MAX - used)
        yield from foot

    def _knees(self, console: Console, options: ConsoleOptions, lines: int) -> list[Text]:
        """The knees in full if they leave room for findings, else in brief, else without intervals and reasons."""
        swept, above, below = self.headline.knees, [], []
        if self.headline.untold:
            above.append(Text(self.headline.untold_text, style="dim"))
        if self.matrix:
            above.append(Text(self.matrix))
        if self.headline.knees_invalid:
            below.append(Text(self.headline.knees_invalid, style="bold red"))
        if len(swept) <= TOLD_IN_FULL_MAX:
            full = [*above, *(Text(knee_sentence(each.operations, each.knee)) for each in swept), *below]
            if sum(_height(console, options, part) for part in full) + FINDINGS_LINES_MIN <= lines:
                return full
        if not swept:
            return [*above, *below]
        brief = [*above, Text(knees_in_brief(swept)), *below]
        if sum(_height(console, options, part) for part in brief) + FINDINGS_LINES_MIN <= lines:
            return brief
        return [*above, Text(knees_named(swept)), *below]

    def _title(self) -> Text:
        title = Text.assemble(
            ("iosonde ", "bold"), (printable(self.profile), "bold"), " of ", (printable(self.target), "bold")
        )
        title.append(f", test region {self.span}")
        title.truncate(200, overflow="ellipsis")
        return title

    def _findings(self, console: Console, options: ConsoleOptions, lines: int) -> Iterable[Text]:
        if not self.findings:
            if not self.failures.sentences_of(FINDINGS):
                yield Text("Findings: none.")
            return
        counts = ", ".join(f"{number} {severity}" for severity in Severity if (number := self._count(severity)))
        # Where the line for the number of others does not fit, the heading says where they are.
        is_tight = lines < FINDINGS_LINES_MIN and len(self.findings) > FINDINGS_MIN
        yield Text.assemble(("Findings", "bold"), f" ({counts}{'; all in the report' if is_tight else ''}):")
        lines -= 2
        shown = 0
        for finding in self.findings:
            text = Text.assemble((f"{finding.severity} ", _STYLES[finding.severity]), (f"{finding.id}: ", "bold"))
            text.append(printable(finding.statement))
            height = _height(console, options, text)
            if height > lines and shown >= FINDINGS_MIN:
                break
            if height > lines:
                # The first finding is shown even if it must be cut.
                text.truncate(max(lines, 1) * options.max_width, overflow="ellipsis")
                height = _height(console, options, text)
            lines -= height
            shown += 1
            yield text
        if shown < len(self.findings) and not is_tight:
            yield Text(f"and {len(self.findings) - shown} more in the report.")

    def _count(self, severity: Severity) -> int:
        return len([finding for finding in self.findings if finding.severity is severity])


def _height(console: Console, options: ConsoleOptions, part: Text | Table) -> int:
    return len(console.render_lines(part, options, pad=False))


def _figures_table(groups: Sequence[HeadlineGroup], width: int) -> tuple[Table, tuple[Text, ...]]:
    """The figures, and notes on those that are missing or have no ±.

    The figures are beside the names, or below them if the terminal is too narrow.
    """
    values, notes = explained([[_value(figure) for figure in group.figures] for group in groups])
    names = [Text.assemble((group.name, "bold"), f", {group.where}") for group in groups]
    is_narrow = max((name.cell_len for name in names), default=0) + FIGURES_WIDTH_MIN > width
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=not is_narrow)
    if not is_narrow:
        table.add_column(overflow="fold")
    for group, name, row in zip(groups, names, values, strict=True):
        figures = _figures_text(group, row)
        if is_narrow:
            table.add_row(name)
            table.add_row(Padding(figures, (0, 0, 0, 2)))
        else:
            table.add_row(name, figures)
    bare = [
        each.why_none
        for group in groups
        for each in group.figures
        if each.is_mean and each.value is not None and each.why_none
    ]
    marks = _marks_text(groups)
    said = " ".join([*marks, *notes, *(f"Without ±: {why}." for why in dict.fromkeys(bare))])
    return table, (Text(said, style="dim"),) if said else ()


def _value(figure: HeadlineFigure) -> str:
    """The figure with its interval and unit, or a dash."""
    if figure.value is None:
        return Dash(figure.why_none)
    shown = figure_text(figure)
    spread = f" {shown.spread}" if figure.is_mean and shown.spread else ""
    return f"{shown.value}{spread} {shown.unit}"


def _figures_text(group: HeadlineGroup, values: Sequence[str]) -> Text:
    if group.missing:
        return Text(f"no results: {printable(group.missing)}", style="red")
    names = ["" if figure.is_implied else f"{figure.name} " for figure in group.figures]
    text = Text(", ".join(f"{name}{value}" for name, value in zip(names, values, strict=True)))
    # The notes below name the findings once: here their ids would wrap most lines if a finding affects the whole run.
    if group.invalid_by:
        text.stylize("strike")
        text.append(f" {MARK}", style="not strike bold red")
    elif group.doubted_by:
        text.append(f" ({UNRELIABLE})", style="yellow")
    return text


def _marks_text(groups: Sequence[HeadlineGroup]) -> Iterable[str]:
    """A sentence with the findings that make figures invalid, and one with those that make them unreliable."""
    invalid = [each for group in groups for each in group.invalid_by]
    doubted = [each for group in groups if not group.invalid_by for each in group.doubted_by]
    for mark, ids in ((MARK, invalid), (UNRELIABLE, doubted)):
        if ids:
            yield f"{mark}: {see(tuple(dict.fromkeys(ids)))}."
