"""Errors of the command-line parser, in the form of all other errors."""

import difflib
import re
from collections.abc import Sequence
from typing import Any, Final

from iosonde.errors import IosondeError, UsageError

# Values of other tools whose closest spelling here has another meaning.
_MEANT: Final = {
    "--sync": {"fsync": "fdatasync", "sync": "dsync", "1": "dsync", "0": "none"},
    "--engine": {"libaio": "io_uring", "posixaio": "io_uring", "sync": "psync", "io_uring_cmd": "passthrough"},
    "--arrivals": {"linear": "constant"},
    "--data": {"zero": "zeros"},
}
PERMITS: Final = frozenset({"--overwrite", "--destroy", "--destroy-from", "--consent"})
_QUOTED: Final = re.compile(r"'([^']+)'")


def usage_error(error: Exception, words: Sequence[str] = ()) -> IosondeError | None:
    """A parser error as an IosondeError; None for any other error."""
    # Typer's parser has moved between packages, so its errors are recognised by their attributes.
    describe = getattr(error, "format_message", None)
    if describe is None:
        return None
    value = _value_error(error)
    if value is not None:
        return value
    message = " ".join(str(describe()).split()).rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "iosonde"
    foreign = _foreign(error, context, words)
    if foreign is not None:
        return foreign
    return UsageError(_lower_first(message), _hint(error, command))


def _value_error(error: Exception) -> UsageError | None:
    """The error for an invalid value, with the valid ones; None for another error."""
    flag, cause = getattr(error, "param", None), error.__cause__
    find_details = getattr(cause, "errors", None)
    if flag is None or find_details is None:
        return None
    details = find_details()[0]
    name, least, most = flag.opts[0], flag.min, flag.max
    if least is not None and most is not None:
        kind = "a number" if isinstance(least, float) or isinstance(most, float) else "a whole number"
        bounds = f"{kind} from {least} to {most}"
        return UsageError(f"{name} {details['input']} is not {bounds}", f"set {name} to {bounds}")
    reason = str(details["msg"]).removeprefix("Value error, ").rstrip(".")
    quoted = _QUOTED.findall(reason)
    if not quoted:
        least = f" of at least {least}" if least is not None else f" of at most {most}" if most is not None else ""
        return UsageError(
            f"{name} {str(details['input'])[:40]}: {_lower_first(reason)}", f"set {name} to a number{least}"
        )
    value, *choices = quoted
    meant = _MEANT.get(name, {}).get(value)
    near = [meant] if meant in choices else []
    near = near or difflib.get_close_matches(value, choices, n=1, cutoff=0.6)
    return UsageError(f"{name}: {reason}", f"did you mean {near[0]}?" if near else f"use one of {', '.join(choices)}")


_LIMITS: Final = "`iosonde run` has this option: a plan changes nothing, so it has no limits"
_OWN_HINTS: Final = {
    ("probe", "--out"): "a probe has no run directory; use --json to keep its results, or iosonde run",
    ("plan", "--max-writes"): _LIMITS,
    ("plan", "--max-temperature"): _LIMITS,
    ("plan", "--min-spare"): _LIMITS,
}
"""Hints for flags that another command of iosonde has, by the command without them."""


def _foreign(error: Exception, context: Any, words: Sequence[str]) -> UsageError | None:  # noqa: ANN401 - the parser's
    """The error for an unknown flag that another tool has; None for any other error."""
    wrong = str(getattr(error, "option_name", ""))
    if context is None or not hasattr(error, "possibilities"):
        return None
    from iosonde.plans.other_tools.hints import flag_hint

    known = {flag for option in context.command.params for flag in (*option.opts, *option.secondary_opts)}
    hint = _OWN_HINTS.get((context.info_name, wrong)) or flag_hint(wrong, words, known)
    return None if hint is None else UsageError(f"no such option: {wrong}", hint)


def _hint(error: Exception, command: str) -> str:
    possibilities = list(getattr(error, "possibilities", None) or [])
    wrong = str(getattr(error, "option_name", ""))
    # A permit to write is never what somebody meant who did not type it.
    harmless = [each for each in possibilities if each not in PERMITS]
    near = difflib.get_close_matches(wrong, possibilities, n=1, cutoff=0.85)
    near = near or difflib.get_close_matches(wrong, harmless, n=1, cutoff=0.0)
    if near:
        return f"did you mean {near[0]}? `{command} --help` lists all options"
    return f"`{command} --help` lists arguments and options, with an example"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
