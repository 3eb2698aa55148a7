"""Text that came from elsewhere, made fit to be printed."""

import shlex


def printable(text: str) -> str:
    """Text from outside (paths, host names) without control characters, which a terminal would obey.

    Nor does any of it begin a new line, which could pass for one of ours.
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def quoted(path: object) -> str:
    """A path as one word of a command that a shell takes."""
    return shlex.quote(str(path))


def encodable(text: str) -> str:
    """Text that UTF-8 can encode: bytes of a name that are not UTF-8 become escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def without_formula(text: str) -> str:
    """Text as a spreadsheet takes it for text: it would run what begins like a formula, unless a quote comes first."""
    if text[:1] not in {"=", "+", "-", "@", "\t", "\r"}:
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
