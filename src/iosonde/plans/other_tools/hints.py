"""The hint for a user who types flags of another tool: the iosonde flags, with the values translated."""

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from iosonde.errors import UsageError
from iosonde.plans.other_tools.diskspd import diskspd_meaning
from iosonde.plans.other_tools.fio_jobs import FioJob
from iosonde.plans.other_tools.fio_translation import translate
from iosonde.plans.other_tools.fio_words import PROGRAM, SWITCHES, TRANSLATED, WORDS, FioWord, Handling, fio_name
from iosonde.plans.other_tools.meaning import Kind, Meaning
from iosonde.plans.other_tools.said import Flag
from iosonde.plans.other_tools.tkperf import tkperf_meaning

# A flag on its own is translated without fio's defaults for the flags that are missing.
_PLAIN: Final = {"direct": "1", "norandommap": "1", "ioengine": "libaio", "time_based": "", "filename": "file"}
_HELD_AS: Final = {"rwmixwrite": "rwmixread", "buffered": "direct"}
_ABOUT_NAME: Final = FioWord(Handling.IGNORED, "iosonde names each cell after its workload")
# fio would read 4KiB as 4,000 bytes, but users mean 4,096, as here.
_OUR_UNIT: Final = re.compile(r"(?<=\d)([KMGT])iB\b")
_PROBE_ONLY: Final = " of `iosonde probe`"


def flag_hint(wrong: str, words: Sequence[str], known: Collection[str]) -> str | None:
    """The replacement for an unknown flag and for the others of that tool in ``words``; None if no tool has it.

    ``known`` are the flags that the command has.
    """
    typed = [word for word in words if word == wrong or word.startswith(wrong if wrong[:2] != "--" else f"{wrong}=")]
    if not typed:
        return None
    pairs = [(word, _value_behind(words, place)) for place, word in enumerate(words) if word.startswith("-")]
    pairs = [(word, value) for word, value in pairs if word.partition("=")[0] not in known]
    first = typed[0]
    for tool, read in (("fio", _fio), ("TKperf", _tkperf), ("DiskSpd", _diskspd)):
        if any(read([pair]) for pair in pairs if pair[0] == first):
            return _told(tool, read(pairs), known)
    return None


def key_hint(key: str, value: Any, known: Collection[str]) -> str | None:  # noqa: ANN401 - whatever the file holds
    """The replacement for a key with fio's name; None for a key that fio doesn't have."""
    word = WORDS.get(fio_name(key.replace("-", "_")))
    if word is None:
        return None
    if word.handling is not Handling.TRANSLATED:
        return f"fio's {key} is {_kind_of(word)}{word.reason}"
    values: dict[str, list[str | int]] = {}
    for each in value if isinstance(value, list) else [value]:
        for flag in _flags({key: str(int(each)) if isinstance(each, bool) else str(each)}):
            held = values.setdefault(flag.flag[2:].replace("-", "_"), [])
            held.extend([] if flag.value is None or flag.value in held else [flag.value])
    keys = [f"{name} = {_toml(found)}" for name, found in values.items() if name in known]
    if not keys or len(keys) < len(values):
        return f"fio's {key} is {_keys_of(TRANSLATED[fio_name(key)], known)}"
    return f"fio's {key} is {', '.join(keys)}"


def _keys_of(text: str, known: Collection[str]) -> str:
    """The text with the names of keys instead of flags, where a campaign file has the key."""

    def key(match: re.Match[str]) -> str:
        name = match[1].replace("-", "_")
        return name if name in known else match[0]

    return re.sub(r"--([a-z][a-z-]*)", key, text)


def _toml(values: list[str | int]) -> str:
    texts = [f'"{value}"' if isinstance(value, str) else str(value) for value in values]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _value_behind(words: Sequence[str], place: int) -> str:
    """The next argument, unless it is a flag."""
    following = words[place + 1] if place + 1 < len(words) else "-"
    return "" if following.startswith("-") else following


def _told(tool: str, meanings: Sequence[Meaning], known: Collection[str]) -> str:
    flags = [each for each in meanings if each.kind is Kind.FLAGS]
    parts = []
    if flags:
        text = " ".join(dict.fromkeys(each.text for each in flags))
        is_here = all(word in known for word in text.split() if word.startswith("--"))
        parts.append(f"{_subject(flags)} {text}{'' if is_here else _PROBE_ONLY}")
    by_answer: dict[str, list[Meaning]] = {}
    for each in meanings:
        if each.kind is not Kind.FLAGS:
            by_answer.setdefault(f"{each.kind}{each.text}", []).append(each)
    parts += [f"{_subject(said)} {answer}" for answer, said in by_answer.items()]
    if tool == "fio" and "--fio" in known:
        parts.append('--fio "fio ..." accepts a complete fio command')
    return f"{tool}'s {'; '.join(parts)}"


def _subject(said: Sequence[Meaning]) -> str:
    words = " ".join(each.word for each in said)
    return f"{words} {'are' if ' -' in words else 'is'}"


Pairs = Sequence[tuple[str, str]]


def _fio(pairs: Pairs) -> list[Meaning]:
    """The meanings of fio's flags. All translated flags form one entry, since they depend on each other."""
    options: dict[str, str] = {}
    typed: dict[str, str] = {}
    found: list[Meaning] = []
    for word, behind in pairs:
        name, has_value, value = word.lstrip("-").partition("=")
        name = name.replace("-", "_")
        about = _ABOUT_NAME if name == "name" else WORDS.get(fio_name(name)) or PROGRAM.get(name.replace("_", "-"))
        # A single letter, or a single dash without a value, belongs to another tool.
        if about is None or (word[:2] != "--" and not has_value):
            continue
        if about.handling is not Handling.TRANSLATED:
            found.append(Meaning(word, _kind_of(about), about.reason))
            continue
        typed[name] = word if has_value or not behind else f"{word} {behind}"
        if has_value or behind or fio_name(name) in SWITCHES:
            options[name] = value or behind
    flags = _flags(options)
    told = {name: any(_canonical(name) == flag.option for flag in flags) for name in typed}
    # The read share belongs to the direction, which is covered already.
    told |= {name: True for name in told if _canonical(name) == "rwmixread" and flags and "rw" in options}
    found += [Meaning(typed[name], Kind.WORDS, TRANSLATED[fio_name(name)]) for name in typed if not told[name]]
    if flags:
        words = " ".join(typed[name] for name in typed if told[name])
        found.insert(0, Meaning(words, Kind.FLAGS, " ".join(dict.fromkeys(flag.text for flag in flags))))
    return found


def _canonical(name: str) -> str:
    """The name under which a job stores an option."""
    name = fio_name(name)
    return _HELD_AS.get(name, name)


def _kind_of(word: FioWord) -> Kind:
    return Kind.NOT_NEEDED if word.handling is Handling.IGNORED else Kind.NOT_AVAILABLE


def _flags(options: dict[str, str]) -> list[Flag]:
    """The flags for the options; none for values that fio would not accept either."""
    is_mix = any(_canonical(name) == "rwmixread" for name in options)
    job = FioJob("hint")
    try:
        for name, value in {**_PLAIN, "rw": "randrw" if is_mix else "randwrite", **options}.items():
            job.say(name, _OUR_UNIT.sub(r"\1", value))
        given = {_canonical(name) for name in options}
        given |= {"rwmixread"} if "rw" in given else set()
        return [flag for flag in translate(job).flags if flag.option in given]
    except UsageError:
        return []


def _tkperf(pairs: Pairs) -> list[Meaning]:
    return [each for each in (tkperf_meaning(word, value) for word, value in pairs) if each is not None]


def _diskspd(pairs: Pairs) -> list[Meaning]:
    short = [word for word, _ in pairs if word[:2] != "--"]
    return [each for each in map(diskspd_meaning, short) if each is not None]
