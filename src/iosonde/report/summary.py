"""The end of a run on the terminal: one screen of 80 by 24."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from iosonde.analysis.experiments import estimate_run
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.model import Finding, Severity, gravest_first
from iosonde.records import Experiment, RunRecord
from iosonde.report.brand import Brand, brands_of
from iosonde.report.display import figure_text, printable
from iosonde.report.facts import span_text, targets_text
from iosonde.report.headline import Headline, HeadlineGroup, SweptKnee, headline_of
from iosonde.report.knee_words import TOLD_IN_FULL_MAX, knee_sentence, knees_in_brief
from iosonde.report.sentences import experiment_sentence

LINES_MAX: Final = 23
"""A screen of 24 lines keeps one for the prompt."""

FINDINGS_MIN: Final = 1
"""So many findings are shown even where a narrow terminal has used up its screen."""

_INTERVALS: Final = "Means over repeats, ± 95 %; MB/s is 10^6 bytes/s; percentiles over all repeats."
_STYLES: Final = {Severity.INVALID: "bold red", Severity.DOUBTFUL: "yellow", Severity.NOTE: "cyan"}


def render_summary(run: RunRecord, findings: Sequence[Finding], report_path: Path | None) -> "RunSummary":
    """What ``rich.print`` shows of a run: headline, knee, gravest findings, and where the report is."""
    estimates = estimate_run(run)
    return RunSummary(
        target=printable(targets_text(run.header)),
        profile=run.header.plan.profile,
        span=span_text(run.header),
        brands=brands_of(run),
        headline=headline_of(estimates, findings),
        matrix=experiment_sentence(Experiment.MATRIX, estimates) if estimates.of(Experiment.MATRIX) else "",
        findings=gravest_first(findings),
        report_path=None if report_path is None else printable(str(report_path)),
    )


@dataclass(frozen=True)
class RunSummary:
    """A summary that fits the console it is printed on. All text from outside is printed as it is, never as markup."""

    target: str
    profile: str
    span: str
    brands: tuple[Brand, ...]
    headline: Headline
    matrix: str
    findings: tuple[Finding, ...]
    report_path: str | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The parts from top to bottom; findings get the lines that the rest leaves."""
        head = [self._title(), *(self._brand(brand) for brand in self.brands), Text(_INTERVALS, style="dim")]
        figures = _figures_table(self.headline.groups)
        knees = [Text(sentence) for sentence in _knee_sentences(self.headline.knees)]
        if self.matrix:
            knees.insert(0, Text(self.matrix))
        if self.headline.untold:
            knees.insert(0, Text(self.headline.untold_text, style="dim"))
        foot = [] if self.report_path is None else [Text.assemble("Report: ", (self.report_path, "bold"))]
        others = [*head, *knees, *foot]
        used = _height(console, options, figures) + sum(_height(console, options, part) for part in others)
        yield from head
        yield figures
        yield from knees
        yield from self._findings(console, options, LINES_MAX - used)
        yield from foot

    def _title(self) -> Text:
        title = Text.assemble(("iosonde ", "bold"), (self.profile, "bold"), " of ", (self.target, "bold"))
        title.append(f", span {self.span}")
        title.truncate(200, overflow="ellipsis")
        return title

    def _brand(self, brand: Brand) -> Text:
        return Text.assemble((f" {brand.word.upper()} ", "bold black on yellow"), " ", brand.sentence)

    def _findings(self, console: Console, options: ConsoleOptions, lines: int) -> Iterable[Text]:
        if not self.findings:
            yield Text("Findings: none.")
            return
        counts = ", ".join(f"{number} {severity}" for severity in Severity if (number := self._count(severity)))
        yield Text.assemble(("Findings", "bold"), f" ({counts}):")
        lines -= 2
        shown = 0
        for finding in self.findings:
            text = Text.assemble((f"{finding.severity} ", _STYLES[finding.severity]), (f"{finding.id}: ", "bold"))
            text.append(printable(finding.statement))
            height = _height(console, options, text)
            if height > lines and shown >= FINDINGS_MIN:
                break
            lines -= height
            shown += 1
            yield text
        if shown < len(self.findings):
            yield Text(f"and {len(self.findings) - shown} more in the report.")

    def _count(self, severity: Severity) -> int:
        return len([finding for finding in self.findings if finding.severity is severity])


def _knee_sentences(knees: Sequence[SweptKnee]) -> list[str]:
    if len(knees) > TOLD_IN_FULL_MAX:
        return [knees_in_brief(knees)]
    return [knee_sentence(each.operations, each.knee) for each in knees]


def _height(console: Console, options: ConsoleOptions, part: Text | Table) -> int:
    return len(console.render_lines(part, options, pad=False))


def _figures_table(groups: Sequence[HeadlineGroup]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for group in groups:
        name = Text.assemble((group.name, "bold"), f", {group.where}")
        table.add_row(name, _figures_text(group))
    return table


def _figures_text(group: HeadlineGroup) -> Text:
    if group.missing:
        return Text(f"no figures: {printable(group.missing)}", style="red")
    parts = []
    for figure in group.figures:
        shown = figure_text(figure)
        spread = f" {shown.spread}" if figure.estimate is not None and shown.spread else ""
        name = "" if figure.name in {"best", "rate"} else f"{figure.name} "
        unit = "" if shown.value == NO_VALUE else f" {shown.unit}"
        parts.append(f"{name}{shown.value}{spread}{unit}")
    text = Text(", ".join(parts))
    if group.doubted_by:
        # All of them would break most lines in two where something doubts the whole run; findings follow anyway.
        gravest, *others = group.doubted_by
        more = f", {len(others)} more" if others else ""
        text.append(f" (see {gravest}{more})", style="yellow")
    return text
