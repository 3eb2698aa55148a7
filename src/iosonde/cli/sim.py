"""``iosonde sim``: the simulated drives and their parameters."""

from typing import Annotated

import typer

from iosonde.cli.help_texts import CommandGroupHelp, CommandHelp, GroupHelp

sim = typer.Typer(
    name="sim",
    no_args_is_help=True,
    add_help_option=False,  # See GroupHelp.
    rich_markup_mode="rich",
    cls=CommandGroupHelp,
    help="List and show the simulated drives (target `sim:MODEL`).",
    epilog="Example: [bold]iosonde sim list[/bold]   To measure one: [bold]iosonde run sim:sata-dc[/bold]",
)


@sim.callback()
def _sim(show_help: GroupHelp = False) -> None:
    """Handles the option before a command."""


@sim.command("list", cls=CommandHelp)
def list_models() -> None:
    """List the included models.

    Example: [bold]iosonde sim list[/bold]
    """
    from iosonde.cli.model_text import model_list
    from iosonde.cli.text_width import print_paper
    from iosonde.plans.models import load_model, model_names

    print_paper(model_list([load_model(name) for name in model_names()]))


@sim.command("show", cls=CommandHelp)
def show_model(
    model: Annotated[
        str, typer.Argument(help="Name of a model, or path of a model file.", metavar="MODEL", show_default=False)
    ],
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the model file, for example to use it as a template.")
    ] = False,
) -> None:
    """Show all parameters of a model, with their meanings, units and sources, and the resulting limits.

    Example: [bold]iosonde sim show mmc[/bold]

    Editable copy: [bold]iosonde sim show mmc --toml > mine.toml[/bold]
    """
    from iosonde.cli.model_text import model_view
    from iosonde.cli.text_width import print_paper
    from iosonde.plans.models import load_model, model_text
    from iosonde.sources import SIMULATED_WORD

    name = model.removeprefix(SIMULATED_WORD)
    if toml:
        typer.echo(model_text(name), nl=False)
    else:
        print_paper(model_view(load_model(name)))
