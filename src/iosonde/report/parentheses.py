"""Text in parentheses, never nested: readers lose track of ``(depth 128 (120 achieved))``."""


def in_parentheses(text: str) -> str:
    """``(depth 128, 120 achieved)`` for ``depth 128 (120 achieved)``."""
    return f"({text.replace(' (', ', ').replace(') ', ', ').replace(')', '')})"


def with_note(text: str, note: str) -> str:
    """``depth 128 (120 achieved; note)``, or ``depth 128 (note)`` where the text has no parentheses at its end."""
    return f"{text[:-1]}; {note})" if text.endswith(")") else f"{text} ({note})"
