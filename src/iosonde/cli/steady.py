"""``iosonde steady``: judges the rounds that another tool measured."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from iosonde.errors import ExpectationError, UndecidedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iosonde.analysis.procedures import Verdict
    from iosonde.report.judged_rounds import JudgedRounds
    from iosonde.sources.rounds import GivenCell, Tracking


_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_CELL_KEYS: Final = ("read", "block_size", "queue_depth", "jobs")
_EXAMPLES: Final = {
    "--track": "--track read=0,block_size=4KiB,quantity=iops",
    "--cell": "--cell read=0,block_size=4KiB,queue_depth=32,jobs=4",
}


def steady(
    files: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            help="TKperf's XML, JSON files of fio (or a folder of them), or a CSV file with a row for each round and "
            "cell.",
            metavar="FILE...",
            show_default=False,
        ),
    ],
    track: Annotated[
        list[str] | None,
        typer.Option(
            "--track",
            help="Tracking variable, such as read=0,block_size=4KiB,quantity=iops. Default: those of the SNIA PTS for "
            "the kind of test, or its only cell.",
            metavar="KEYS",
            show_default=False,
        ),
    ] = None,
    cell: Annotated[
        list[str] | None,
        typer.Option(
            "--cell",
            help="What all rows of a table measured that has no columns for it, such as read=0,block_size=4KiB.",
            metavar="KEYS",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print verdicts and figures as JSON to stdout.")] = False,
) -> None:
    """Judge whether rounds measured by TKperf, fio or another tool are in steady state, and compute their figures.

    The criterion is that of the SNIA PTS: over five rounds, the values of each tracking variable range over at most
    20 % of their mean, and the best-fit line changes by at most 10 % of it. The exit code is 0 if each test is in
    steady state, 9 if one is not or left it again, and 10 if one cannot be judged: it has fewer than five consecutive
    rounds, or no tracking variable. Write saturation has none, and is ignored if the file has other tests.

    Example: [bold]iosonde steady drive.xml[/bold]
    """
    from iosonde.report.judged_rounds import judged, plain
    from iosonde.sources.rounds import NOTHING_GIVEN, read_rounds

    given = _given(",".join(cell)) if cell else NOTHING_GIVEN
    found = read_rounds(files, [_tracking(each) for each in track or ()], given)
    tests = tuple(
        judged(
            each.source, each.rounds, each.first_round, each.said, each.not_read, doubts=each.doubts, facts=each.facts
        )
        for each in found
    )
    if json:
        from json import dumps

        typer.echo(dumps([plain(each) for each in tests], indent=1, ensure_ascii=False))
    else:
        from iosonde.cli.text_width import print_paper
        from iosonde.report.terminal.judged_rounds import render_judged

        print_paper(render_judged(tests))
    _check_verdicts(tests)


def _check_verdicts(tests: "Sequence[JudgedRounds]") -> None:
    """Raises ExpectationError for a test that is not steady, and UndecidedError for one that cannot be judged."""
    from iosonde.analysis.procedures import Verdict
    from iosonde.vocabulary import ProcedureKind

    few = [each for each in tests if each.phase.rule is not None and each.is_too_short]
    never = [each for each in tests if _verdict(each) not in {None, Verdict.REACHED} and each not in few]
    # Write saturation is a course without a criterion. A file may have it next to tests that are judged.
    untracked = [each for each in tests if each.own is None]
    if len(untracked) < len(tests):
        untracked = [each for each in untracked if each.kind is not ProcedureKind.WRITE_SATURATION]
    if never:
        found = {
            "steady state was not reached": [each for each in never if _verdict(each) is Verdict.NOT_REACHED],
            "steady state was left again": [each for each in never if _verdict(each) is Verdict.LEFT],
        }
        missed = found["steady state was not reached"]
        ended = [each for each in missed if each.ends_unknown]
        raise ExpectationError(
            "; ".join(f"{what}: {_names(each, tests)}" for what, each in found.items() if each),
            f"only rounds up to {ended[0].window[-1]} have a value of each tracking variable: measure all of them in "
            "every round"
            if ended
            else "measure more rounds, and check the drive's temperature and other users of the drive"
            if missed
            else "check what changed at that point, such as temperature, and repeat the test; later rounds do not help",
        )
    if few:
        raise UndecidedError(
            f"too few rounds to judge: {_names(few, tests)}",
            "the criterion needs five consecutive rounds with a value of each tracking variable",
        )
    if untracked:
        raise UndecidedError(f"nothing is tracked: {_names(untracked, tests)}", _cell_hint(untracked[0]))


def _cell_hint(test: "JudgedRounds") -> str:
    """How to name a cell that the test has, with a quantity that it was measured by."""
    from iosonde.analysis.procedures.round_value import TRACKABLE
    from iosonde.units import exact_size

    for cell in test.cells:
        work = cell.workload
        for quantity in TRACKABLE:
            if cell.of(quantity) is not None:
                size = exact_size(work.block_size_bytes).replace(" ", "")
                return f"name a cell, such as --track read={work.read_percent},block_size={size},quantity={quantity}"
    return f"add values that can be tracked: {', '.join(TRACKABLE)}"


def _names(found: "Sequence[JudgedRounds]", tests: "Sequence[JudgedRounds]") -> str:
    """The tests by name, with their files if there are several."""
    if len({each.source for each in tests}) == 1:
        return ", ".join(each.name for each in found)
    return ", ".join(f"{each.name} of {each.source}" for each in found)


def _verdict(test: "JudgedRounds") -> "Verdict | None":
    return None if test.own is None else test.own.verdict


def _tracking(text: str) -> "Tracking":
    """A tracking variable from its keys. Raises UsageError."""
    from iosonde.analysis.procedures.round_value import TRACKABLE
    from iosonde.sources.rounds import Tracking
    from iosonde.vocabulary import Quantity

    keys = _keys("--track", text, (*_CELL_KEYS, "quantity"))
    asked = keys.pop("quantity", Quantity.IOPS.value)
    if asked not in TRACKABLE:
        raise UsageError(f"--track {text}: {asked} is no tracking variable", f"use {', '.join(TRACKABLE)}")
    numbers = _numbers("--track", text, keys)
    return Tracking(
        quantity=Quantity(asked),
        read_percent=numbers.get("read"),
        block_size_bytes=numbers.get("block_size"),
        queue_depth=numbers.get("queue_depth"),
        jobs=numbers.get("jobs"),
    )


def _given(text: str) -> "GivenCell":
    """What all rows of a table measured, from its keys. Raises UsageError."""
    from iosonde.sources.rounds import GivenCell

    return GivenCell(**_numbers("--cell", text, _keys("--cell", text, _CELL_KEYS)))


def _keys(option: str, text: str, known: "Sequence[str]") -> dict[str, str]:
    """The keys of an option and their values. Raises UsageError."""
    parts = [part.partition("=")[::2] for part in text.split(",")]
    keys = dict(parts)
    if len(keys) < len(parts):
        raise UsageError(f"{option} {text}: a key is there twice", f"name each key once; {_EXAMPLES[option]}")
    unknown = set(keys) - set(known)
    if unknown:
        raise UsageError(
            f"{option} {text}: unknown key {min(unknown) or '(empty)'}", f"use keys such as {_EXAMPLES[option]}"
        )
    if empty := next((key for key, value in keys.items() if not value), ""):
        raise UsageError(f"{option} {text}: {empty} has no value", f"give it one, such as {_EXAMPLES[option]}")
    return keys


def _numbers(option: str, text: str, keys: dict[str, str]) -> dict[str, int]:
    """The values of the keys of a cell. Raises UsageError."""
    from iosonde.units import parse_bytes

    found = {}
    for key, value in keys.items():
        if key == "block_size":
            found[key] = parse_bytes(value, option)
        elif _WHOLE.fullmatch(value):
            found[key] = int(value)
        else:
            raise UsageError(
                f"{option} {text}: {key}={value} is not a whole number", f"use keys such as {_EXAMPLES[option]}"
            )
    return found
