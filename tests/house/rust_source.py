"""Finds the functions of a Rust source file without a compiler: by their braces, once all text is blanked out."""

import re
from collections.abc import Iterator
from typing import NamedTuple

LINE_COMMENT = re.compile(r"//[^\n]*")
COMMENT_EDGE = re.compile(r"/\*|\*/")
RAW_STRING = re.compile(r'\b(?:br|cr|r)(#*)".*?"\1', re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
# A lifetime has no closing quote, so it is no character.
CHARACTER = re.compile(r"'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])'")
TEXT_START = re.compile(r"""//|/\*|\b(?:br|cr|r)#*"|"|'""")

FUNCTION = re.compile(r"\bfn\s+(?:r#)?(\w+)")
OPENING, CLOSING = "([{", ")]}"


class Function(NamedTuple):
    """A function with its first line, which names it, and its last, which closes it."""

    name: str
    line_first: int
    line_last: int

    @property
    def line_count(self) -> int:
        """Lines from the name to the closing brace, both counted."""
        return self.line_last - self.line_first + 1


def blank_text(source: str) -> str:
    """The source with each string, character and comment turned into spaces; every line stays where it was."""
    blanked = []
    position = 0
    while start := TEXT_START.search(source, position):
        end = text_end(source, start.start())
        blanked.append(source[position : start.start()])
        blanked.append(re.sub(r"[^\n]", " ", source[start.start() : end]))
        position = end
    return "".join([*blanked, source[position:]])


def text_end(source: str, start: int) -> int:
    """Where the string, character or comment ends that begins at ``start``; a lifetime's quote ends behind itself."""
    if source.startswith("/*", start):
        return block_comment_end(source, start)
    for kind in (LINE_COMMENT, RAW_STRING, STRING, CHARACTER):
        if match := kind.match(source, start):
            return match.end()
    if source[start] == "'":
        return start + 1
    return len(source)


def block_comment_end(source: str, start: int) -> int:
    """Where the block comment ends that begins at ``start``. Block comments nest."""
    depth = 0
    for edge in COMMENT_EDGE.finditer(source, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


def functions(source: str) -> Iterator[Function]:
    """Every function that has a body, nested ones as well."""
    code = blank_text(source)
    for match in FUNCTION.finditer(code):
        end = body_end(code, match.end())
        if end is not None:
            yield Function(match.group(1), code.count("\n", 0, match.start()) + 1, code.count("\n", 0, end) + 1)


def body_end(code: str, start: int) -> int | None:
    """Where the body closes of the function whose name ends at ``start``; None where a semicolon stands for it."""
    depth = 0
    in_body = False
    for position in range(start, len(code)):
        sign = code[position]
        if depth == 0 and sign == ";":
            return None
        if sign in OPENING:
            in_body = in_body or (depth == 0 and sign == "{")
            depth += 1
        elif sign in CLOSING:
            depth -= 1
            if depth == 0 and in_body:
                return position
    return None
