"""The report that lays runs of standard procedures side by side."""

from collections import Counter
from collections.abc import Iterator, Sequence

from iosonde import __version__
from iosonde.analysis.procedures.side_by_side import SameTest, Source, same_tests
from iosonde.failures import FailureLog
from iosonde.printing import printable
from iosonde.records import RunRecord
from iosonde.report.blocks import Answers, Block, Chapter, Folded, Notice, Paragraph, Terms
from iosonde.report.brand import Brand, brands_of
from iosonde.report.page import Page
from iosonde.report.procedures.definitions import COMPARISON as TERMS
from iosonde.report.procedures.header import UNKNOWN
from iosonde.report.procedures.side_by_side import comparison_blocks
from iosonde.report.procedures.side_by_side_answers import answers_of, name_of
from iosonde.report.procedures.side_by_side_facts import fact_tables
from iosonde.report.procedures.words import title_of
from iosonde.report.titles import DEFINITIONS, DEFINITIONS_FOLDED, DEFINITIONS_LABEL, IN_SHORT, Heading


def comparison_page(sources: Sequence[Source], failures: FailureLog) -> Page:
    """The page of a comparison. A notice replaces each part that fails."""
    tests = same_tests(sources)
    chapters = tuple(_chapter(test, number, failures) for number, test in enumerate(tests, 1))
    # The tests of a drive can be in several runs.
    labels = tuple(dict.fromkeys(printable(each.label) for each in sources))
    runs = [each.run.header.run for each in sources if each.run is not None]
    name = f"{len(sources)} runs side by side"
    terms = Folded(DEFINITIONS_FOLDED.format(len(TERMS)), (Terms(TERMS),), on_paper=True)
    return Page(
        run=name,
        target=", ".join(labels),
        targets=labels,
        subject=f"{name}, iosonde {__version__}",
        identity_pairs=(
            ("Compared", name),
            ("Runs", ", ".join(runs) or UNKNOWN),
            ("Created by", f"iosonde {__version__}"),
        ),
        version=__version__,
        brands=shared_brands(sources),
        chapters=(_in_short(sources, tests), *chapters, Chapter(*DEFINITIONS, (terms,), label=DEFINITIONS_LABEL)),
    )


def _heading(test: SameTest, number: int) -> Heading:
    return Heading(f"test-{number}", name_of(test))


def _chapter(test: SameTest, number: int, failures: FailureLog) -> Chapter:
    heading = _heading(test, number)

    def blocks() -> tuple[Block, ...]:
        return (*fact_tables(test), *comparison_blocks(test, heading.id, failures))

    made = failures.attempt(f'the chapter "{heading.title}"', blocks, lambda failure: (Notice(failure.sentence),))
    return Chapter(*heading, made)


def _in_short(sources: Sequence[Source], tests: Sequence[SameTest]) -> Chapter:
    answers = tuple(sentence for test in tests for sentence in answers_of(test))
    alone = tuple(only_in(sources, tests))
    notes = tuple(notes_of(sources))
    first = Paragraph("Differences are from the first run of each test.")
    return Chapter(*IN_SHORT, (Answers((*answers, *notes, *alone)), first))


def notes_of(sources: Sequence[Source]) -> Iterator[str]:
    """What limits the figures of each run."""
    counts = Counter(each.label for each in sources)
    for source in sources:
        tests = ", ".join(dict.fromkeys(title_of(each.procedure) for each in source.procedures))
        named = source.label if counts[source.label] == 1 else f"{source.label}, {tests}"
        for note in source.notes:
            yield f"{named}: {note}."


def only_in(sources: Sequence[Source], tests: Sequence[SameTest]) -> Iterator[str]:
    """The procedures that only one run has, and those of each run that were not measured."""
    compared = {id(rounds) for test in tests for entry in test.entries for rounds in entry.procedures}
    for source in sources:
        left = [each for each in source.procedures if id(each) not in compared]
        for is_begun, words in ((True, "Only in"), (False, "Not measured in")):
            names = [title_of(each.procedure) for each in left if each.is_begun == is_begun]
            if names:
                yield f"{words} {printable(source.label)}: {', '.join(dict.fromkeys(names))}."


def shared_brands(sources: Sequence[Source]) -> tuple[Brand, ...]:
    """The brands of all runs. One that only some runs have names them."""
    runs: dict[tuple[str, str], list[str]] = {}
    for source in sources:
        for brand in () if source.run is None else brands_of(source.run):
            runs.setdefault((brand.word, brand.sentence), []).append(printable(source.label))
    return tuple(
        Brand(word, sentence if len(labels) == len(sources) else f"{', '.join(dict.fromkeys(labels))}: {sentence}")
        for (word, sentence), labels in runs.items()
    )


def drive_name(run: RunRecord) -> str:
    """The user's label of a run, else the model of its drive, else the name of its target."""
    target = run.header.target
    device, drive = target.device, target.simulation
    named = (
        run.header.label or (device.model if device is not None else "") or (drive.model if drive is not None else "")
    )
    return printable(named or target.path.rsplit("/", maxsplit=1)[-1] or target.kind)
