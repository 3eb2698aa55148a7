"""docs/reference/other-tools.md: every known option of fio, DiskSpd and TKperf, with its counterpart."""

from collections.abc import Iterator, Mapping
from typing import Final

from iosonde.plans.other_tools.diskspd import diskspd_meaning
from iosonde.plans.other_tools.fio_words import PROGRAM, TRANSLATED, WORDS, FioWord, Handling
from iosonde.plans.other_tools.meaning import Kind
from iosonde.plans.other_tools.tkperf import NAMES, tkperf_meaning
from tools.reference.markdown import code, page, table

_LEAD: Final = (
    "The counterparts of the options of fio (3.33 and newer), DiskSpd (2.2) and TKperf (2.2). [From fio, DiskSpd or "
    "TKperf](../guides/other-tools.md) explains how to use them."
)
# DiskSpd's flags as users type them, with a value where they take one.
_DISKSPD: Final = (
    "-b4K -c10G -f1G -B1G -d60 -W5 -C5 -o8 -O8 -t4 -F4 -w30 -r -rs30 -rdpct90/10 -rdabs90/10G -s -s64K -si -g1000 "
    "-g100i -i64 -j10 -z42 -Z -Zr -Z1M -Sb -Su -Sw -Sh -Suw -Sm -R -L -D -a -n -l -x -v -T1M -p -y -e -I3 -X"
)
_TKPERF_VALUES: Final = {"-nj": "4", "-iod": "16", "-rt": "60", "-ssdt": "iops", "-hddt": "tp"}


def other_tools_page() -> str:
    """The text of the page."""
    parts = [
        "## fio",
        "Options with a counterpart:",
        table(("fio", "iosonde"), [(code(name), text) for name, text in TRANSLATED.items()]),
        "`iosonde probe --fio` ignores these options, since they do not change the workload, and lists them:",
        table(("fio", "why it is not needed"), _rows(WORDS, Handling.IGNORED)),
        "It reports these as a difference:",
        table(("fio", "what differs"), _rows(WORDS, Handling.DIFFERS)),
        "It refuses these, unless their value has no effect (`0`, `none`), and every option that is not on this page:",
        table(("fio", "why it is not supported"), _rows(WORDS, Handling.REFUSED)),
        "Options of fio itself, valid only on its command line, that are ignored:",
        table(("fio", "why it is not needed"), _rows(PROGRAM, Handling.IGNORED)),
        "Options of fio itself that are refused:",
        table(("fio", "why it is not supported"), _rows(PROGRAM, Handling.REFUSED)),
        "## DiskSpd",
        table(("DiskSpd", "iosonde"), _diskspd()),
        "## TKperf",
        table(("TKperf", "iosonde"), _tkperf()),
    ]
    return page("Options of other tools", _LEAD, parts)


def _rows(words: Mapping[str, FioWord], handling: Handling) -> list[tuple[str, str]]:
    """The options that are handled in this way. Options with the same reason share a row."""
    by_reason: dict[str, list[str]] = {}
    for name, word in words.items():
        if word.handling is handling:
            by_reason.setdefault(word.reason, []).append(code(name))
    return [(", ".join(names), reason) for reason, names in by_reason.items()]


def _answer(kind: Kind, text: str) -> str:
    return code(text) if kind is Kind.FLAGS else f"{kind}{text}"


def _diskspd() -> Iterator[tuple[str, str]]:
    for word in _DISKSPD.split():
        meaning = diskspd_meaning(word)
        assert meaning is not None, word
        yield code(word), _answer(meaning.kind, meaning.text)


def _tkperf() -> Iterator[tuple[str, str]]:
    for short, long in NAMES.items():
        value = _TKPERF_VALUES.get(short, "")
        meaning = tkperf_meaning(long, value)
        assert meaning is not None, long
        yield code(f"{short} {value}".rstrip()), _answer(meaning.kind, meaning.text)
