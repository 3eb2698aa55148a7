"""Puts text in parentheses without nesting them: ``(depth 128 (120 achieved))`` is hard to read."""


def in_parentheses(text: str) -> str:
    """``(depth 128, 120 achieved)`` for ``depth 128 (120 achieved)``."""
    return f"({text.replace(' (', ', ').replace(') ', ', ').replace(')', '')})"


def with_note(text: str, note: str) -> str:
    """``depth 128 (120 achieved; note)``, or ``depth 128 (note)`` if the text does not end in parentheses."""
    return f"{text[:-1]}; {note})" if text.endswith(")") else f"{text} ({note})"
