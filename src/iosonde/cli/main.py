"""The command ``iosonde``: all subcommands, and their exit."""

import signal
import sys
from typing import NoReturn

import typer

from iosonde import __version__
from iosonde.cli.check import check
from iosonde.cli.clean import clean
from iosonde.cli.compare import compare
from iosonde.cli.completion import completion
from iosonde.cli.doctor import doctor
from iosonde.cli.end_command import END_COMMAND
from iosonde.cli.export import export
from iosonde.cli.help_texts import CommandGroupHelp, CommandHelp, GroupHelp
from iosonde.cli.list import list_runs
from iosonde.cli.messages import say
from iosonde.cli.plan import plan
from iosonde.cli.prepare import prepare
from iosonde.cli.probe import probe
from iosonde.cli.report import report
from iosonde.cli.resume import resume
from iosonde.cli.run import run
from iosonde.cli.show import show
from iosonde.cli.signals import ENDING, hides_an_interruption, leave, tell
from iosonde.cli.sim import sim
from iosonde.cli.steady import steady
from iosonde.cli.system_errors import system_error
from iosonde.cli.usage import usage_error
from iosonde.cli.verify import verify
from iosonde.errors import IosondeError, UsageError

app = typer.Typer(
    name="iosonde",
    no_args_is_help=True,
    add_completion=False,
    add_help_option=False,  # See GroupHelp.
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    cls=CommandGroupHelp,
    help="Characterise block storage: measure a drive, volume or file system, and assess the validity of the results.",
    epilog="Example: [bold]iosonde run /mnt/data[/bold]   See also: iosonde COMMAND --help",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"iosonde {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    show_help: GroupHelp = False,
) -> None:
    """Handles the options before a command."""


app.command("run", cls=CommandHelp)(run)
app.command("doctor", cls=CommandHelp)(doctor)
app.command("prepare", cls=CommandHelp)(prepare)
app.command("plan", cls=CommandHelp)(plan)
app.command("probe", cls=CommandHelp)(probe)
app.command("resume", cls=CommandHelp)(resume)
app.command("verify", cls=CommandHelp)(verify)
app.command("list", cls=CommandHelp)(list_runs)
app.command("show", cls=CommandHelp)(show)
app.command("check", cls=CommandHelp)(check)
app.command("steady", cls=CommandHelp)(steady)
app.command("compare", cls=CommandHelp)(compare)
app.command("report", cls=CommandHelp)(report)
app.command("export", cls=CommandHelp)(export)
app.command("clean", cls=CommandHelp)(clean)
app.add_typer(sim)
app.add_typer(completion)


ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def entry() -> NoReturn:
    """Runs the command line. Every error has one line, a hint if there is a remedy, and an exit code by class."""
    for number in ENDS:
        # nohup ignores SIGHUP, and it stays ignored.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, ENDING)
    try:
        code = _run()
    except BaseException:
        END_COMMAND.run(1)
        raise
    if ENDING.code is not None and not ENDING.told:
        say(ENDING.word)
    code = code if ENDING.code is None else ENDING.code
    END_COMMAND.run(code)
    # The exit code is final: ignore signals while the last lines are written.
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    leave(code)


def _check_words(words: list[str]) -> None:
    """Raises UsageError for an empty argument, which would name the working directory."""
    if not all(word.strip() for word in words):
        raise UsageError("an argument is empty", "check for an unset variable; use `.` for the current directory")


def _run() -> int:
    """Runs the command, prints its error if any, and returns the exit code."""
    try:
        _check_words(sys.argv[1:])
        code: int = app(prog_name="iosonde", standalone_mode=False) or 0
    except IosondeError as error:
        END_COMMAND.failed(error)
        code = tell(error)
    except BrokenPipeError:
        # The reader of the output has closed it.
        code = 0
    except SystemExit as left:
        # Typer and Rich exit in this way; nothing else in iosonde does.
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        code = 0
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        if ENDING.code is not None and hides_an_interruption(error):
            return ENDING.code
        mended = system_error(error) or usage_error(error, sys.argv[1:])
        if mended is None:
            raise
        END_COMMAND.failed(mended)
        # Without a command the help has been printed, and no message follows.
        code = tell(mended) if mended.message else mended.exit_code
    return code
