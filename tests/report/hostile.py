"""Names that somebody might give a file, a host or a device to break a report."""

from typing import Final

MARKUP: Final = (
    '/srv/#let x $y$ *bold* _it_ @ref <label> \\u{41} "quoted" `code` [a](http://e.vil) | ~~x~~ &amp; {{7*7}}'
)
SCRIPT: Final = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
CONTROL: Final = "bell\x07 escape\x1b[31m new\nline return\r null\x00 right\u202eleft mark\u200f"
NOT_DRAWN: Final = "\u4e2d\u6587 \U0001f4be \u0639\u0631\u0628\u064a"
SLASHES: Final = "/1" * 250
WORD: Final = "w" * 300
DIGITS: Final = "-1" * 150
NAMES: Final = (MARKUP, SCRIPT, CONTROL, NOT_DRAWN, SLASHES, WORD, DIGITS)
