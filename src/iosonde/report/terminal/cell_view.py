"""Shows one cell on a terminal, with everything in its record."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.analysis.cells import CellEstimate, OperationEstimate, estimate_cell, was_looked_at
from iosonde.analysis.families import drawn_classes
from iosonde.analysis.targets import estimate_targets
from iosonde.charts.figure import why_no_figures
from iosonde.charts.quantities import plural, workload_label
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.finding import Finding, invalid_by
from iosonde.printing import printable
from iosonde.records import RunRecord
from iosonde.report.brand import brands_of
from iosonde.report.pace_table import pace_facts
from iosonde.report.target_table import target_table
from iosonde.report.target_words import access_text, targets_text
from iosonde.report.terminal.brands import brand_text
from iosonde.report.terminal.cell_choice import ChosenCell
from iosonde.report.terminal.cell_facts import facts_table, named_values, slowest_table
from iosonde.report.terminal.cell_repeats import repeats_table
from iosonde.report.terminal.distributions import HistogramBars, PercentileBars
from iosonde.report.terminal.figures import render_table
from iosonde.report.terminal.findings import render_findings
from iosonde.report.terminal.run_view import LEGEND
from iosonde.report.terminal.text_direction import Deferred, Isolated, failed
from iosonde.report.terminal.time_series import render_time_series
from iosonde.report.validity import MARK, marked, see
from iosonde.units import format_rate


def render_cell(
    run: RunRecord,
    chosen: ChosenCell,
    findings: Sequence[Finding],
    *,
    all_findings: bool,
    failures: FailureLog = STRICT,
) -> RenderableType:
    """The output of ``iosonde show RUN CELL``: from the settings of the cell to the findings that name it.

    A notice replaces each part that fails; ``failures`` records it.
    """
    # If the estimate fails, use one without repeats: it has no figures and cannot fail.
    estimate = failures.attempt(
        "the analysis of the cell",
        lambda: _estimated(run, chosen),
        lambda _: estimate_cell(chosen.plan, ()),
        CELL,
    )
    invalid = invalid_by(findings, chosen.plan.cell)
    makers: tuple[tuple[str, Callable[[], Iterable[RenderableType]]], ...] = (
        ("the settings of the cell", lambda: _head(run, chosen, estimate, invalid)),
        ("the results of the cell", lambda: _figures(chosen, estimate, invalid, failures)),
        ("the arrival rate of the cell", lambda: _paces(estimate)),
        ("the distributions", lambda: _distributions(estimate, invalid)),
        ("the time series of the cell", lambda: render_time_series(chosen.records, estimate)),
        ("the results per target", lambda: _targets(run, chosen, estimate, invalid)),
        ("the slowest operations", lambda: _slowest(chosen)),
        ("the details of the cell", lambda: [_title("Details"), facts_table(run, chosen), Text()]),
        ("the findings", lambda: _findings(chosen, findings, all_findings=all_findings)),
    )
    return Group(*(Isolated(part, Deferred(make), failures) for part, make in makers))


def _estimated(run: RunRecord, chosen: ChosenCell) -> CellEstimate:
    if run.header.plan.procedures and chosen.repeat is None:
        return estimate_cell(chosen.plan, chosen.records, repeats=chosen.repeats)
    return estimate_cell(chosen.plan, chosen.records, looked=was_looked_at(run.header.plan, chosen.records))


CELL: Final = "cell"
"""The section of the failure log for the analysis of the cell. Its notice is shown instead of the figures."""


def _figures(
    chosen: ChosenCell, estimate: CellEstimate, invalid: tuple[str, ...], failures: FailureLog
) -> Iterator[RenderableType]:
    yield Text()
    if estimate.operations:
        table = repeats_table(chosen, estimate)
        # All rows are of this cell, but their first text is the repeat.
        table = marked(table, {line.texts[0]: invalid for line in table.lines if invalid})
        yield from (render_table(table), Text(LEGEND, style="dim"), Text())
    elif sentences := failures.sentences_of(CELL):
        yield from (*map(failed, sentences), Text())
    else:
        yield from (Text(f"No results: {printable(why_no_figures(estimate))}.", style="red"), Text())


def _slowest(chosen: ChosenCell) -> Iterator[RenderableType]:
    slowest = slowest_table(chosen.records)
    if slowest is not None:
        yield from (_title("Slowest operations, by service time"), slowest, Text())


def _findings(chosen: ChosenCell, findings: Sequence[Finding], *, all_findings: bool) -> Iterator[RenderableType]:
    named = [finding for finding in findings if chosen.plan.cell in finding.cells]
    yield _title("All findings" if all_findings else "Findings about this cell")
    yield render_findings(findings if all_findings else named, "" if all_findings else chosen.plan.cell)
    whole = len(findings) - len(named)
    if whole and not all_findings:
        concern = "finding concerns" if whole == 1 else "findings concern"
        yield Text(f"{whole} more {concern} other cells or the whole run. Use --findings to show them.", style="dim")


def _title(text: str) -> Text:
    return Text(text, style="bold underline")


def _head(run: RunRecord, chosen: ChosenCell, estimate: CellEstimate, invalid: tuple[str, ...]) -> Iterator[Text]:
    plan = chosen.plan
    where = Text.assemble((printable(plan.cell), "bold"), f" of run {printable(run.header.run)}")
    if chosen.repeat is not None:
        where.append(f", repeat {chosen.repeat} only")
    yield where
    if invalid:
        yield Text(f" {MARK}  {see(invalid)}. Do not use these results.", style="bold red")
    for brand in brands_of(run):
        yield brand_text(brand)
    yield Text(_settings(chosen))
    yield Text(f"on {printable(targets_text(run.header))}, {access_text(run.header)}")
    outcomes = ", ".join(
        f"{number} {word}"
        for number, word in (
            (estimate.repeats_finished, "finished"),
            (estimate.repeats_failed, "failed"),
            (estimate.repeats_cut, "interrupted"),
            (len(chosen.superseded), "replaced"),
        )
        if number
    )
    yield Text(f"Repeats: {outcomes or 'none measured'}; experiments: {', '.join(plan.experiments) or 'none'}")


def _settings(chosen: ChosenCell) -> str:
    asked = chosen.plan.workload
    depth = f"{'at most ' if asked.is_open_loop else 'depth '}{asked.queue_depth}"
    many = [f"{number} {word}" for number, word in ((asked.jobs, "jobs"), (asked.targets, "targets")) if number > 1]
    if many:
        depth += f" x {' x '.join(many)} = {asked.operations_in_flight} in flight"
    elif asked.is_open_loop:
        depth += " in flight"
    if asked.rate_per_s is not None:
        depth = f"{format_rate(asked.rate_per_s)}/s offered per target ({asked.arrivals}), {depth}"
    return f"{workload_label(asked)}, {depth}, {asked.data} data, {_lengths(chosen)}"


def _lengths(chosen: ChosenCell) -> str:
    """The requested length of the repeats, as a range if they differ. Without repeats, the planned length."""
    timings = sorted({each.timing for each in chosen.records}, key=lambda each: each.lasts_ns) or [chosen.plan.timing]
    shortest, longest = timings[0].text, timings[-1].text
    return shortest if shortest == longest else f"from {shortest} to {longest}"


def _drawn(estimate: CellEstimate) -> list[OperationEstimate]:
    """The classes whose distribution is drawn: each kind of a mix separately, else the main class of the cell."""
    classes = drawn_classes(estimate.workload)
    wanted = classes[:-1] if len(classes) > 1 else classes
    return [figures for each in wanted if (figures := estimate.of(each)) is not None]


def _distributions(estimate: CellEstimate, invalid: Sequence[str]) -> Iterator[RenderableType]:
    for figures in _drawn(estimate):
        kind = f"{MARK + ': ' if invalid else ''}{f'{figures.latency_kind} latency'.capitalize()}"
        if not figures.saturated:
            yield PercentileBars(f"{kind} of {plural(figures.operation)}: percentiles", figures)
            yield Text()
        yield HistogramBars(f"{kind} of {figures.count:,} {plural(figures.operation)}: histogram", figures.latency)
        yield Text()


def _of(chosen: ChosenCell, invalid: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {chosen.plan.cell: invalid} if invalid else {}


def _paces(estimate: CellEstimate) -> Iterator[RenderableType]:
    facts = pace_facts(estimate)
    if facts:
        yield _title("Rate, service time and lag")
        yield named_values(facts)
        yield Text()


def _targets(
    run: RunRecord, chosen: ChosenCell, estimate: CellEstimate, invalid: tuple[str, ...]
) -> Iterator[RenderableType]:
    shares = estimate_targets([estimate])
    if shares:
        yield _title("Results per target")
        yield render_table(marked(target_table(shares, run.header.targets), _of(chosen, invalid)))
        yield Text()
