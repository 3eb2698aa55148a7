"""What stands on the page, as data: the templates only lay it out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.charts.trade_off import throughput_latency
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.findings.finding import Finding, gravest_first
from iosonde.findings.rules import FINDINGS
from iosonde.records import CellRecord, CellTurn, Outcome, RunRecord
from iosonde.report.answers import answers_of
from iosonde.report.brand import Brand, brands_of
from iosonde.report.definitions import DEFINITIONS
from iosonde.report.facts import FactGroup, fact_groups, identity_text, span_text, targets_text
from iosonde.report.headline import headline_of
from iosonde.report.headline_figures import Headline
from iosonde.report.sections import Section, Told, made_figures, sections_of
from iosonde.report.states import fate_text
from iosonde.report.validity import Invalid, invalid_cells
from iosonde.vocabulary import Fate


@dataclass(frozen=True)
class Turn:
    """One measurement in the order in which it was made."""

    order: int
    cell: str
    repeat: int
    seed: int
    outcome: str


@dataclass(frozen=True)
class Page:
    """Everything that the page says.

    ``failed`` holds what stands in the place of parts that could not be made, by the section that they belong to:
    ``answers``, ``headline``, ``findings`` or ``conditions``. Other sections hold their own.
    """

    run: str
    target: str
    targets: tuple[str, ...]
    identity: str
    span: str
    created_at: str
    version: str
    repeats: str
    brands: tuple[Brand, ...]
    answers: tuple[str, ...]
    headline: Headline
    findings: tuple[Finding, ...]
    picture: Figure | None
    sections: tuple[Section, ...]
    facts: tuple[FactGroup, ...]
    turns: tuple[Turn, ...]
    definitions: tuple[tuple[str, str], ...]
    failed: Mapping[str, tuple[str, ...]]

    @property
    def subject(self) -> str:
        """What a picture that goes its own way has to say of where it comes from."""
        return f"{self.target}, span {self.span}, run {self.run}, iosonde {self.version}"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every chart of the page, from top to bottom."""
        first = () if self.picture is None else (self.picture,)
        return (*first, *(figure for section in self.sections for figure in section.figures))

    def without_charts(self, failures: Mapping[str, PartFailure]) -> "Page":
        """The page with what stands in the place of charts that could not be drawn, by their ids."""

        def told(figure: Figure) -> Figure:
            failure = failures.get(figure.id)
            return figure if failure is None else replace(figure, chart=None, failure=failure.sentence)

        if not failures:
            return self
        return replace(
            self,
            picture=None if self.picture is None else told(self.picture),
            sections=tuple(replace(each, figures=tuple(map(told, each.figures))) for each in self.sections),
        )


def page_of(analysis: RunAnalysis, findings: Sequence[Finding], failures: FailureLog = STRICT) -> Page:
    """The page of a run. What fails stands in its place, and in ``failures``, where these take it."""
    run, header = analysis.run, analysis.run.header
    estimates = failures.attempt(
        "the analysis of the run", lambda: analysis.estimates, lambda _: RunEstimates((), {}), ANSWERS
    )
    headline = failures.attempt(
        'the section "Headline"',
        lambda: headline_of(estimates, findings, header.plan.aim if run.finished else None),
        lambda _: Headline((), ()),
        HEADLINE,
    )
    invalid = invalid_cells((cell.cell for cell in estimates.cells), findings)
    picture, *pictures = _pictures(estimates, invalid, failures) or (None,)
    sections = sections_of(Told(run, estimates, headline, invalid, tuple(pictures)), failures)
    return Page(
        run=header.run,
        target=failures.attempt("the names of the targets", lambda: targets_text(header), _unknown, CONDITIONS),
        targets=tuple(target.path or target.kind for target in header.targets),
        identity=failures.attempt(
            "the identity of the targets",
            lambda: "; ".join(identity_text(target) for target in header.targets),
            _unknown,
            CONDITIONS,
        ),
        span=failures.attempt("the span", lambda: span_text(header), _unknown, CONDITIONS),
        created_at=header.created_at,
        version=header.iosonde_version,
        repeats=failures.attempt("the number of repeats", lambda: _repeats_text(run), _unknown, HEADLINE),
        brands=failures.attempt(
            "what is said above all figures", lambda: brands_of(run), lambda each: (Brand("bug", each.sentence),)
        ),
        answers=answers_of(estimates, headline, findings, failures),
        headline=headline,
        findings=gravest_first(findings),
        picture=picture,
        sections=sections,
        facts=failures.attempt('the section "Conditions"', lambda: fact_groups(analysis), lambda _: (), CONDITIONS),
        turns=failures.attempt("the plan and its order", lambda: _turns(run, estimates), lambda _: (), CONDITIONS),
        definitions=DEFINITIONS,
        failed={place: failures.sentences_of(place) for place in (ANSWERS, HEADLINE, FINDINGS, CONDITIONS)},
    )


ANSWERS, HEADLINE, CONDITIONS = "answers", "headline", "conditions"


def _unknown(_: PartFailure) -> str:
    return "not known"


def _pictures(estimates: RunEstimates, invalid: Invalid, failures: FailureLog) -> tuple[Figure, ...]:
    """The trade-off of each sweep; more than one chart where there are more sweeps than one has room for."""
    return made_figures(
        "throughput-latency",
        "IOPS against mean latency",
        lambda: throughput_latency(estimates.closed_loops.sweeps),
        invalid,
        failures,
    )


def _repeats_text(run: RunRecord) -> str:
    """How many repeats figures come from; with an aim, from the cell with the fewest to that with the most."""
    plan = run.header.plan
    if plan.is_fixed:
        return str(plan.repeats)
    counts = Counter(record.cell for record in run.cells if record.outcome is Outcome.FINISHED).values()
    least, most = min(counts, default=0), max(counts, default=0)
    return str(most) if least == most else f"{least} to {most}"


def _ending(record: CellRecord, fate: Fate | None) -> str:
    if fate is Fate.USED and record.is_silent:
        return "nothing completed, used"
    if fate is None or record.outcome is not Outcome.FINISHED:
        return str(record.outcome)
    return f"{record.outcome}, {fate_text(fate)}"


def _turns(run: RunRecord, estimates: RunEstimates) -> tuple[Turn, ...]:
    """The planned order with how each measurement ended, or the records' own order where there is no plan.

    Of a repeat that is in no figure it says why.
    """
    fates = {(cell.cell, order): fate for cell in estimates.cells for order, fate in cell.repeats.fates.items()}
    ended = {
        (record.cell, record.repeat): _ending(record, fates.get((record.cell, record.order))) for record in run.cells
    }
    turns: Sequence[CellTurn | CellRecord] = run.turns or run.cells
    return tuple(
        Turn(each.order, each.cell, each.repeat, each.seed, ended.get((each.cell, each.repeat), "not measured"))
        for each in sorted(turns, key=lambda each: each.order)
    )
