"""Text that came from elsewhere, made fit to be printed."""


def printable(text: str) -> str:
    """Text from outside (paths, host names) without control characters, which a terminal would obey.

    Nor does any of it begin a new line, which could pass for one of ours.
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a text that it finds in a table."""
    return text[:1] in {"=", "+", "-", "@", "\t", "\r"} and not text[1:2].isdigit()
