"""Completion scripts, generated from the commands, so that TAB does not start iosonde."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from iosonde.expectations.data_sheets import data_sheet_names
from iosonde.plans import DATA_SHEET_PROFILE, PURPOSES
from iosonde.plans.models import model_names
from iosonde.sources import SIMULATED_WORD

NOTICE: Final = "Written by `iosonde completion`"
_HEAD: Final = f"# {NOTICE}: run it again after an update.\n"


@dataclass(frozen=True)
class OptionWords:
    """An option: its names, its help, whether it takes a value, and the values to offer (empty: files)."""

    names: tuple[str, ...]
    help: str
    has_value: bool
    choices: tuple[str, ...]
    takes_others: bool = False


@dataclass(frozen=True)
class CommandWords:
    """A command by its full name (empty for none), with its subcommands and options.

    ``arguments`` are the only words that can follow it. ``has_targets``: it takes paths and simulated drives.
    """

    name: str
    help: str
    commands: tuple[str, ...]
    options: tuple[OptionWords, ...]
    arguments: tuple[str, ...]
    has_targets: bool = False


def words_of(command: Any, name: str = "") -> Iterator[CommandWords]:  # noqa: ANN401 - the parser's own objects
    """The command and all its subcommands."""
    inner = {key: each for key, each in getattr(command, "commands", {}).items() if not each.hidden}
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    yield CommandWords(
        name,
        _line(command.help or ""),
        tuple(inner),
        tuple(
            OptionWords(
                (*each.opts, *each.secondary_opts),
                _line(each.help or ""),
                not each.is_flag,
                _choices(each),
                each.name in _TAKE_FILES,
            )
            for each in options
        )
        + (() if any("--help" in each.opts for each in options) else (_HELP,)),
        _choices(arguments[0]) if arguments else (),
        any(each.name == "targets" for each in arguments),
    )
    for key, each in inner.items():
        yield from words_of(each, f"{name} {key}".strip())


_OFFERED: Final = {
    "profile": ("lab", "reads", DATA_SHEET_PROFILE),
    "purpose": PURPOSES,
    "against": (*data_sheet_names(), *PURPOSES),
    "pattern": ("random", "sequential", "permutation"),
    "model": model_names(),
}
"""The most common values of parameters that also take others."""

_TAKE_FILES: Final = frozenset({"profile", "purpose", "against", "model"})

_DRIVES: Final = SIMULATED_WORD.removesuffix(":")

_HELP: Final = OptionWords(("--help",), "Show this message and exit.", has_value=False, choices=())


def _choices(parameter: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    kind = parameter.type_descriptor.annotation
    kinds = (kind, *getattr(kind, "__args__", ()))
    found = next((each for each in kinds if isinstance(each, type) and issubclass(each, Enum)), None)
    return _OFFERED.get(parameter.name, ()) if found is None else tuple(str(each.value) for each in found)


def _line(text: str) -> str:
    """The first sentence, without markup and without characters that are special in a shell."""
    first = " ".join(text.split("\n\n", maxsplit=1)[0].replace("[bold]", "").replace("[/bold]", "").split()).partition(
        ". "
    )[0]
    return "".join(each for each in first if each not in "'\"\\`$").rstrip(".")


def bash_script(commands: Sequence[CommandWords]) -> str:
    """For bash: a function, and the `complete` line that registers it."""
    return f"""{_HEAD}
_iosonde() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
    local command="" word words="" kept=""
    # bash splits --flag=value at the equals sign.
    [[ $current == "=" ]] && current=""
    [[ $previous == "=" ]] && previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
    [[ ${{COMP_WORDS[COMP_CWORD]}} == "=" ]] && previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
    # It also splits sim:MODEL at the colon.
    if [[ "$previous$current" == {_DRIVES}: || "${{COMP_WORDS[COMP_CWORD - 2]}}$previous" == {_DRIVES}: ]]; then
        mapfile -t COMPREPLY < <(compgen -W "{" ".join(model_names())}" -- "${{current#:}}")
        return
    fi
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
        case "$command $word" in
{_steps(commands, "            ")}
        esac
    done
    case "$command $previous" in
{_values(commands, "        ", 'words="{words}"')}
        {_free(commands)})
            COMPREPLY=()
            return ;;
        *)
            case "$command" in
{_words(commands, "                ", 'words="{words}"')}
            esac
            # Offer options only after a dash.
            for word in $words; do
                [[ $current == -* || $word != -* ]] && kept+=" $word"
            done
            words="$kept" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _iosonde iosonde
"""


def zsh_script(commands: Sequence[CommandWords]) -> str:
    """For zsh: a file in ``fpath``."""
    return f"""#compdef iosonde
{_HEAD}
_iosonde() {{
    local command="" word previous="${{words[CURRENT-1]}}"
    local -a found
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        case "$command $word" in
{_steps(commands, "            ")}
        esac
    done
    case "$command $previous" in
{_values(commands, "        ", "compadd -- {words}; {others}return")}
        {_free(commands)})
            _files; return ;;
    esac
    case "$command" in
{_words(commands, "        ", "found=({words})")}
    esac
    if [[ "${{words[CURRENT]}}" == {SIMULATED_WORD}* && "$command" == ({_with_targets(commands)}) ]]; then
        compadd -- {_simulated()}
    elif [[ "${{words[CURRENT]}}" == -* ]]; then
        compadd -- ${{(M)found:#-*}}
    elif [[ -n "${{(@)found:#-*}}" ]]; then
        compadd -- ${{found:#-*}}
    else
        _files
    fi
}}

_iosonde "$@"
"""


def fish_script(commands: Sequence[CommandWords]) -> str:
    """For fish: a line for each option and command."""
    lines = [_HEAD]
    for each in commands:
        first, *second = each.name.split()[:2] or [""]
        seen = "__fish_use_subcommand" if not first else f"__fish_seen_subcommand_from {first}"
        if second:
            seen = f"{seen}; and __fish_seen_subcommand_from {second[0]}"
        helps = {other.name.split()[-1]: other.help for other in commands if other.name and _above(other) == each.name}
        inner = " ".join(each.commands)
        before = seen if not (first and inner) else f"{seen}; and not __fish_seen_subcommand_from {inner}"
        lines += [
            f"complete -c iosonde -f -n '{before}' -a {name} -d '{helps.get(name, '')}'" for name in each.commands
        ]
        lines += [f"complete -c iosonde -n '{seen}' {_fish(option)}" for option in each.options]
        if each.arguments:
            lines.append(f"complete -c iosonde -f -n '{seen}' -a '{' '.join(each.arguments)}'")
        if each.has_targets:
            lines.append(f"complete -c iosonde -n '{seen}' -a '{_simulated()}'")
    return "\n".join(lines) + "\n"


def _above(command: CommandWords) -> str:
    return command.name.rpartition(" ")[0]


def _fish(option: OptionWords) -> str:
    names = " ".join(f"-l {name[2:]}" for name in option.names if name.startswith("--"))
    words = f" -a '{' '.join(option.choices)}'" if option.choices else ""
    value = "" if not option.has_value else " -r" if option.takes_others or not words else " -x"
    return f"{names}{value}{words} -d '{option.help}'"


def _simulated() -> str:
    return " ".join(f"{SIMULATED_WORD}{name}" for name in model_names())


def _with_targets(commands: Sequence[CommandWords]) -> str:
    return "|".join(each.name for each in commands if each.has_targets)


def _steps(commands: Sequence[CommandWords], indent: str) -> str:
    """The transitions from a command to its subcommands."""
    names = "|".join(f'"{_above(each)} {each.name.split()[-1]}"' for each in commands if each.name)
    return f'{indent}{names})\n{indent}    command="${{command:+$command }}$word" ;;'


def _values(commands: Sequence[CommandWords], indent: str, said: str) -> str:
    """The values of options that have some to offer."""
    files = {True: "_files; ", False: ""}
    lines = [
        f"{indent}{'|'.join(f'{_quoted(each.name, name)}' for name in option.names)})\n"
        f"{indent}    {said.format(words=' '.join(option.choices), others=files[option.takes_others])} ;;"
        for each in commands
        for option in each.options
        if option.choices
    ]
    return "\n".join(lines)


def _free(commands: Sequence[CommandWords]) -> str:
    """Options with any value: the shell offers files."""
    names = [
        _quoted(each.name, name)
        for each in commands
        for option in each.options
        if option.has_value and not option.choices
        for name in option.names
    ]
    return "|".join(names)


def _words(commands: Sequence[CommandWords], indent: str, said: str) -> str:
    """What can follow a command."""
    lines = []
    for each in commands:
        words = [*each.commands, *each.arguments, *(name for option in each.options for name in option.names)]
        lines.append(f'{indent}"{each.name}")\n{indent}    {said.format(words=" ".join(words))} ;;')
    return "\n".join(lines)


def _quoted(command: str, word: str) -> str:
    return f'"{command} {word}"'
