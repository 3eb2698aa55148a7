"""The chapters of a report, in their order. HTML, PDF and Markdown all use them."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from iosonde.charts.figure import Figure
from iosonde.charts.limit_lines import with_limits
from iosonde.charts.trade_off import throughput_latency
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import Experiment, Outcome, RunRecord
from iosonde.report.amplification_table import TITLE as AMPLIFICATION
from iosonde.report.amplification_table import amplification_table
from iosonde.report.answers import answers_of
from iosonde.report.blocks import (
    Answers,
    Block,
    Cards,
    Chapter,
    FactGroups,
    Folded,
    Glance,
    Key,
    Notice,
    Paragraph,
    Terms,
    notices,
)
from iosonde.report.definitions import DEFINITIONS as TERMS
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.experiment_chapters import experiment_chapter
from iosonde.report.facts import fact_groups
from iosonde.report.fill_chapter import fill_chapter
from iosonde.report.made_charts import made_figures
from iosonde.report.measurement_order import measurements, plan_listing
from iosonde.report.preconditioning_words import prepared_sentence
from iosonde.report.procedures import (
    procedure_answers,
    procedure_chapters,
    setup_groups,
    throughput_blocks,
    verdict_table,
)
from iosonde.report.procedures.definitions import DEFINITIONS as PROCEDURE_TERMS
from iosonde.report.run_chapters import contrasts_chapter, explanations_chapter, over_time_chapter, targets_chapter
from iosonde.report.signs import SIGNS, UNITS
from iosonde.report.sustained_chapter import sustained_chapter
from iosonde.report.titles import (
    CONDITIONS,
    CONTRASTS,
    DEFINITIONS,
    DEFINITIONS_FOLDED,
    DEFINITIONS_LABEL,
    EXPECTED,
    EXPLANATIONS,
    FILL,
    FINDINGS,
    FINDINGS_AT_A_GLANCE,
    IN_SHORT,
    OVER_TIME,
    TARGETS,
    TITLES,
    Heading,
    experiment_headings,
)

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults

PAPER_LINES_MAX: Final = 24
"""The most lines of a table of cells, which nobody reads on paper if there are hundreds."""

NOT_KNOWN: Final = "unknown"
NOTHING_FOUND: Final = "No findings: no rule reported a problem."


def chapters_of(found: EvaluatedRun, failures: FailureLog) -> tuple[Chapter, ...]:
    """All chapters from top to bottom. A notice replaces each part that fails; ``failures`` records it."""
    if found.run.header.plan.procedures:
        return _of_procedures(found, failures)
    picture, *more = _trade_off(found, failures) or (None,)
    measured = _measured(found, more, failures)
    checked = found.checked
    expected = [] if checked is None else [_made(EXPECTED, lambda: _expected(checked), failures)]
    return (
        _in_short(found, picture, failures),
        *(each for each in expected if each is not None),
        *measured,
        _findings(found, failures),
        _conditions(found, failures),
        _definitions(TERMS),
    )


def _of_procedures(found: EvaluatedRun, failures: FailureLog) -> tuple[Chapter, ...]:
    """The chapters of a run of standard procedures: one for each of them instead of those of experiments."""
    checked = found.checked
    expected = [] if checked is None else [_made(EXPECTED, lambda: _expected(checked), failures)]
    procedures = failures.attempt(
        "the chapters of the procedures",
        lambda: procedure_chapters(found, failures),
        lambda failure: (Chapter("procedures", "Procedures", (Notice(failure.sentence),)),),
    )
    of_targets = _made(TARGETS, lambda: targets_chapter(found, is_folded=True), failures)
    return (
        _procedures_in_short(found, failures),
        *(each for each in expected if each is not None),
        *procedures,
        *(() if of_targets is None else (of_targets,)),
        _findings(found, failures),
        _conditions(found, failures),
        _definitions(PROCEDURE_TERMS),
    )


def _procedures_in_short(found: EvaluatedRun, failures: FailureLog) -> Chapter:
    run = found.analysis.recorded
    answers = failures.attempt(
        "the answers",
        lambda: tuple(procedure_answers(run, found.procedures, found.findings)),
        lambda _: (),
        IN_SHORT.id,
    )
    groups = failures.attempt(
        "the set-up", lambda: tuple(setup_groups(run, found.procedures)), lambda _: (), IN_SHORT.id
    )
    verdicts = failures.attempt(
        "the verdicts", lambda: verdict_table(run, found.procedures, found.invalid), lambda _: None, IN_SHORT.id
    )
    throughput = failures.attempt(
        "the bandwidth by block size", lambda: tuple(throughput_blocks(found, failures)), lambda _: (), IN_SHORT.id
    )
    glance = (Glance(FINDINGS_AT_A_GLANCE, found.findings),) if found.findings else ()
    lead = () if found.findings else _nothing_found(failures)
    tables = () if verdicts is None else (verdicts,)
    blocks = (Answers(answers), *_failed(IN_SHORT, failures), *tables, *throughput, *glance, FactGroups(groups))
    return Chapter(*IN_SHORT, blocks, lead)


def _definitions(terms: tuple[tuple[str, str], ...]) -> Chapter:
    folded = Folded(DEFINITIONS_FOLDED.format(len(terms)), (Terms(terms),), on_paper=True)
    return Chapter(*DEFINITIONS, (folded,), label=DEFINITIONS_LABEL)


def _expected(checked: "CheckedResults") -> Chapter:
    # Imported here: few reports have expected values, and their files' schema takes long to load.
    from iosonde.report.expected_chapter import expected_chapter

    return expected_chapter(checked)


def _in_short(found: EvaluatedRun, picture: Figure | None, failures: FailureLog) -> Chapter:
    """The summary chapter: answers, a short list of the findings, one chart, and the headline."""
    answers = answers_of(found.estimates, found.headline, found.findings, failures)
    prepared = prepared_sentence(found.run)
    answers = (prepared, *answers) if prepared else answers
    repeats = failures.attempt(
        "the number of repeats", lambda: _repeats_text(found.run), lambda _: NOT_KNOWN, IN_SHORT.id
    )
    blocks: list[Block] = [Answers(answers), *_failed(IN_SHORT, failures)]
    if found.findings:
        blocks.append(Glance(FINDINGS_AT_A_GLANCE, found.findings))
    if picture is not None:
        blocks.append(picture)
    lead = () if found.findings else _nothing_found(failures)
    headline = found.headline
    if headline.groups:
        blocks.append(Cards(headline.groups))
        if headline.untold:
            blocks.append(Paragraph(headline.untold_text))
    means = f"Means over {repeats} repeats; percentiles from merged histograms. " if repeats else ""
    return Chapter(*IN_SHORT, (*blocks, Key(f"{means}{UNITS}", SIGNS)), lead)


def _measured(found: EvaluatedRun, more: Sequence[Figure], failures: FailureLog) -> tuple[Chapter, ...]:
    """A chapter for each experiment, then contrasts, explanations, the time series and the results of each target.

    ``more`` are the trade-off charts after the first, which is in the summary chapter.
    """
    makers: list[tuple[Heading, Callable[[], Chapter | None]]] = []
    experiments = [each for each in found.estimates.experiments if each.kind in TITLES]
    for heading, each in zip(experiment_headings(experiments), experiments, strict=True):
        if each.kind is Experiment.SUSTAINED:
            makers.append((heading, partial(sustained_chapter, heading, each, found, failures)))
            continue
        own, more = (more, ()) if each.kind is found.swept else ((), more)
        makers.append((heading, partial(experiment_chapter, heading, each, found, own, failures)))
    makers += [
        (CONTRASTS, lambda: contrasts_chapter(found, failures)),
        (FILL, lambda: fill_chapter(found, failures)),
        (EXPLANATIONS, lambda: explanations_chapter(found)),
        (OVER_TIME, lambda: over_time_chapter(found, failures)),
        (TARGETS, lambda: targets_chapter(found)),
    ]
    made = (_made(heading, make, failures) for heading, make in makers)
    return tuple(chapter for chapter in made if chapter is not None)


def _made(heading: Heading, make: Callable[[], Chapter | None], failures: FailureLog) -> Chapter | None:
    def instead(failure: PartFailure) -> Chapter:
        return Chapter(*heading, (Notice(failure.sentence),))

    return failures.attempt(f'the section "{heading.title}"', make, instead)


def _findings(found: EvaluatedRun, failures: FailureLog) -> Chapter:
    lead = (
        ("Problems that affect these results, most severe first. Notes are last.",)
        if found.findings
        else _nothing_found(failures)
    )
    label = f"{FINDINGS.title} ({len(found.findings)})"
    return Chapter(*FINDINGS, (*_failed(FINDINGS, failures), *found.findings), lead, label)


def _conditions(found: EvaluatedRun, failures: FailureLog) -> Chapter:
    """Facts about targets, host and engine, and the measurements in their run order."""
    facts = failures.attempt(
        f'the section "{CONDITIONS.title}"', lambda: fact_groups(found.analysis), lambda _: (), CONDITIONS.id
    )
    rows = failures.attempt(
        "the run order", lambda: measurements(found.run, found.estimates), lambda _: (), CONDITIONS.id
    )
    written = failures.attempt(
        f'the table "{AMPLIFICATION}"', lambda: amplification_table(found.run), lambda _: None, CONDITIONS.id
    )
    folded: tuple[Folded, ...] = ()
    if written is not None:
        folded = (Folded(AMPLIFICATION, (written,), on_paper=len(written.lines) <= PAPER_LINES_MAX),)
    return Chapter(*CONDITIONS, (*_failed(CONDITIONS, failures), FactGroups(facts), *folded, plan_listing(rows)))


def _trade_off(found: EvaluatedRun, failures: FailureLog) -> tuple[Figure, ...]:
    """The trade-off charts of all sweeps. There are several if one chart has no room for all sweeps."""
    return made_figures(
        "throughput-latency",
        "Mean latency against IOPS",
        lambda: tuple(
            with_limits(each, found.limits) for each in throughput_latency(found.estimates.closed_loops.sweeps)
        ),
        found.invalid,
        failures,
    )


def _failed(heading: Heading, failures: FailureLog) -> tuple[Notice, ...]:
    return tuple(notices(failures.sentences_of(heading.id)))


def _nothing_found(failures: FailureLog) -> tuple[str, ...]:
    """The sentence that there are no findings; nothing if a rule failed to run."""
    return () if failures.sentences_of(FINDINGS.id) else (NOTHING_FOUND,)


def _repeats_text(run: RunRecord) -> str:
    """The number of repeats per cell. With a requested precision it is the range over the cells: ``3 to 10``.

    Empty without a finished repeat: then there are no means.
    """
    plan = run.header.plan
    counts = Counter(record.cell for record in run.cells if record.outcome is Outcome.FINISHED).values()
    if not counts:
        return ""
    if plan.is_fixed:
        return str(plan.repeats)
    least, most = min(counts), max(counts)
    return str(most) if least == most else f"{least} to {most}"
