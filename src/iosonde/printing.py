"""Makes text from outside safe to print."""

import shlex


def printable(text: str) -> str:
    """Text from outside (paths, host names) without control characters, which a terminal would execute.

    Newlines are replaced as well, since a new line could look like one of iosonde's own.
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def capital(text: str) -> str:
    """The text with a capital first letter; the rest is unchanged, unlike with ``str.capitalize``."""
    return text[:1].upper() + text[1:]


def trials_text(done: int, planned: int, *, is_fixed: bool) -> str:
    """``11 of 177 trials``. Unless the number is fixed, ``planned`` are the least that there will be."""
    if not is_fixed and done >= planned:
        return f"{done} {'trial' if done == 1 else 'trials'}"
    least = "" if is_fixed else "at least "
    return f"{done} of {least}{planned} {'trial' if planned == 1 else 'trials'}"


def quoted(path: object) -> str:
    """A path quoted as one word of a shell command."""
    return shlex.quote(str(path))


def encodable(text: str) -> str:
    """Text that UTF-8 can encode: bytes of a name that are not UTF-8 become escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def without_formula(text: str) -> str:
    """Text that a spreadsheet does not run as a formula: a quote is added before text that begins like one."""
    if text[:1] not in {"=", "+", "-", "@", "\t", "\r"}:
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
