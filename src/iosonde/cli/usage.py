"""What the parser refuses, in the form of every other error."""

import difflib

from iosonde.errors import IosondeError, UsageError


def usage_error(error: Exception) -> IosondeError | None:
    """The parser's complaint as one of our errors; None when it is something else."""
    # The parser that Typer brings along has moved between packages; its errors are known by what they carry.
    describe = getattr(error, "format_message", None)
    if describe is None:
        return None
    message = " ".join(str(describe()).split()).rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "iosonde"
    return UsageError(_lower_first(message), _hint(error, command))


def _hint(error: Exception, command: str) -> str:
    possibilities = list(getattr(error, "possibilities", None) or [])
    wrong = str(getattr(error, "option_name", ""))
    near = difflib.get_close_matches(wrong, possibilities, n=1, cutoff=0.0)
    if near:
        return f"did you mean {near[0]}? `{command} --help` lists all options"
    return f"`{command} --help` shows what can be given, with an example"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
