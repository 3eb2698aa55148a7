"""Reads fio options from file and job names: the JSON of fio 2.2 and older has no job options.

Names such as ``pass=3_rw=65_bs=4096.json``, ``randread-4k-qd32.json`` or a job ``random-read``.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from iosonde.errors import UsageError
from iosonde.sources.rounds.fio_words import READS
from iosonde.sources.rounds.measured import other_share

_KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "randrw": re.compile(r"rand(?:om)?[ _-]?(?:rw|mixed)"),
    "randread": re.compile(r"rand(?:om)?[ _-]?r(?:ea)?ds?(?![a-z])"),
    "randwrite": re.compile(r"rand(?:om)?[ _-]?wr(?:ite)?s?(?![a-z])"),
    "read": re.compile(r"seq(?:uential)?[ _-]?r(?:ea)?ds?(?![a-z])"),
    "write": re.compile(r"seq(?:uential)?[ _-]?wr(?:ite)?s?(?![a-z])"),
}
_MIX: Final = re.compile(r"(?<![a-z])(?:rw|rwmix|rwmixread|mix|read)[ _=-]?(\d{1,3})(?![\dkm])")
_PAIR: Final = re.compile(r"(?<!\d)(\d{1,3})[_+-](\d{1,3})(?!\d)")
_SIZE: Final = re.compile(r"(?<![a-z])(?:bs|blocksize|block_size)[ _=-]?(\d+(?:ki?b?|mi?b?|b)?)(?![a-z\d])")
_PLAIN_SIZE: Final = re.compile(r"(?<![a-z\d.])(\d+(?:ki?b?|mi?b?))(?![a-z\d])")
_DEPTH: Final = re.compile(r"(?<![a-z])(?:oio|qd|iodepth|queue_?depth|depth)[ _=-]?(\d+)")
_JOBS: Final = re.compile(r"(?<![a-z])(?:jobs|numjobs|threads|thr|tc)[ _=-]?(\d+)")
_SEQUENTIAL: Final = re.compile(r"(?<![a-z])(?:seq|through)")


def options_in_names(path: Path, job: Mapping[str, Any]) -> dict[str, str]:
    """The options that the names of a file, of its folders and of a job contain; empty without kind or block size.

    Raises UsageError if reads and writes are not those that the name tells.
    """
    folders = " ".join(path.parts[-3:-1]).lower()
    texts = [str(job.get("jobname", "")).lower(), path.stem.lower(), folders]
    mix, kind = next(_mixes(texts), None), next(_kinds(texts), None)
    size = next((match.group(1) for each in (_SIZE, _PLAIN_SIZE) for match in _matches(each, texts)), None)
    if size is None or (mix is None and kind is None):
        return {}
    found = {"bs": size}
    if kind is None or (mix is not None and kind == "randrw"):
        is_sequential = any(_SEQUENTIAL.search(text) for text in texts)
        found |= {"rw": "rw" if is_sequential else "randrw", "rwmixread": str(mix)}
    else:
        found["rw"] = kind
    for name, pattern in (("iodepth", _DEPTH), ("numjobs", _JOBS)):
        found |= next(({name: match.group(1)} for match in _matches(pattern, texts)), {})
    check_share(path, job, READS.get(found["rw"], int(found.get("rwmixread", 50))), "its name tells")
    return found


def _matches(pattern: re.Pattern[str], texts: list[str]) -> Iterator[re.Match[str]]:
    return (match for text in texts for match in pattern.finditer(text))


def _kinds(texts: list[str]) -> Iterator[str]:
    return (kind for text in texts for kind, pattern in _KINDS.items() if pattern.search(text))


def _mixes(texts: list[str]) -> Iterator[int]:
    """Percentages of reads, such as of ``rw=65`` and ``65_35``."""
    for text in texts:
        yield from (int(match.group(1)) for match in _MIX.finditer(text))
        for match in _PAIR.finditer(text):
            if int(match.group(1)) + int(match.group(2)) == 100:  # noqa: PLR2004 - percent
                yield int(match.group(1))


def check_share(path: Path, job: Mapping[str, Any], told: int, who_tells: str) -> None:
    """Raises UsageError if the completed operations do not have the read percentage that options or a name tell."""
    reads, writes = (float((job.get(name) or {}).get("iops") or 0) for name in ("read", "write"))
    measured = other_share(reads, writes, told)
    if measured is not None:
        raise UsageError(
            f"{path}: {who_tells} {told} % of reads, but {measured:.0f} % of its operations are reads",
            "name the percentage of reads, such as rw=65, or use outputs that contain the options of the job",
        )
