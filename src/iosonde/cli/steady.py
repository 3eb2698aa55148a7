"""``iosonde steady``: judges the rounds that another tool measured."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.errors import ExpectationError, UndecidedError, UsageError

if TYPE_CHECKING:
    from iosonde.sources.rounds import Tracking


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
            "the kind of test.",
            metavar="KEYS",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print verdicts and figures as JSON to stdout.")] = False,
) -> None:
    """Judge whether rounds measured by TKperf, fio or another tool are in steady state, and compute their figures.

    The criterion is that of the SNIA PTS: over five rounds, the values of each tracking variable range over at most
    20 % of their mean, and the best-fit line changes by at most 10 % of it. The exit code is 0 if each test is in
    steady state, 9 if one is not, and 10 if one has fewer than five rounds.

    Example: [bold]iosonde steady drive.xml[/bold]
    """
    from iosonde.report.judged_rounds import judged, plain
    from iosonde.sources.rounds import read_rounds

    found = read_rounds(files, [_tracking(each) for each in track or ()])
    tests = tuple(judged(each.source, each.rounds, each.first_round, each.said) for each in found)
    if json:
        from json import dumps

        typer.echo(dumps([plain(each) for each in tests], indent=1, ensure_ascii=False))
    else:
        from iosonde.cli.text_width import print_paper
        from iosonde.report.terminal.judged_rounds import render_judged

        print_paper(render_judged(tests))
    judged_tests = [each for each in tests if each.own is not None]
    few = [each for each in judged_tests if each.phase.rule is not None and each.rounds < each.phase.rule.window]
    never = [each for each in judged_tests if each.own is not None and each.own.reached is None and each not in few]
    if never:
        raise ExpectationError(
            f"steady state was not reached: {', '.join(each.name for each in never)}",
            "measure more rounds, and check the drive's temperature and other users of the drive",
        )
    if few:
        raise UndecidedError(
            f"too few rounds to judge: {', '.join(each.name for each in few)}", "the criterion needs five rounds"
        )


def _tracking(text: str) -> "Tracking":
    """A tracking variable from its keys. Raises UsageError."""
    from iosonde.sources.rounds import Tracking
    from iosonde.units import parse_bytes
    from iosonde.vocabulary import Quantity

    hint = "use keys such as --track read=0,block_size=4KiB,quantity=iops"
    keys = dict(part.partition("=")[::2] for part in text.split(","))
    unknown = set(keys) - {"read", "block_size", "queue_depth", "jobs", "quantity"}
    if unknown:
        raise UsageError(f"--track {text}: unknown key {min(unknown) or '(empty)'}", hint)
    try:
        numbers = {key: int(keys[key]) for key in ("read", "queue_depth", "jobs") if key in keys}
        quantity = Quantity(keys.get("quantity", Quantity.IOPS))
    except ValueError as error:
        raise UsageError(f"--track {text}: {error}", hint) from error
    return Tracking(
        quantity=quantity,
        read_percent=numbers.get("read"),
        block_size_bytes=parse_bytes(keys["block_size"], "--track") if "block_size" in keys else None,
        queue_depth=numbers.get("queue_depth"),
        jobs=numbers.get("jobs"),
    )
