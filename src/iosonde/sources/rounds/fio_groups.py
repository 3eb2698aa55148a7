"""Which jobs of an output of fio ran at the same time, and whether their sum is a throughput."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from iosonde.errors import UsageError
from iosonde.sources.rounds.fio_words import options_of

_GROUP_ENDS: Final = ("stonewall", "wait_for_previous")
_SECOND_MS: Final = 1000
_LENGTHS_MAX: Final = 1.1
"""The lengths of jobs that ran at the same time differ by at most this factor, or a second."""

_ALONE: Final = "use outputs in which each workload ran alone (fio's option stonewall, or a call for each)"


def grouped(output: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The jobs of an output, each with a number that jobs share which ran at the same time.

    Some scripts put the jobs of several calls into one output, each with its call as ``fio_command``.
    """
    group, before = 0, _Place(None, None)
    together: set[str | None] = set()
    call = next((job.get("fio_command") for job in output["jobs"]), None)
    is_serial = _can_be_serial(output["jobs"])
    for job in output["jobs"]:
        options, mine = options_of(output, job), _Place(job.get("groupid"), job.get("jobname"))
        is_later = mine.is_after(before, options, is_serial=is_serial) or job.get("fio_command") != call
        if is_later or options.get("wait_for") in together:
            group, together = group + 1, set()
        together.add(mine.name)
        before, call = mine, job.get("fio_command")
        yield group, job


class _Place(NamedTuple):
    """Where a job is in an output of fio: the number of its group, and its name, which its clones have too."""

    group: int | None
    name: str | None

    def is_after(self, before: "_Place", options: Mapping[str, Any], *, is_serial: bool) -> bool:
        """Whether a job began after those before it had ended: it has ``stonewall``, or the number of a later group.

        fio leaves out options without a value. A new number alone can be that of a bare ``stonewall`` or of
        ``new_group``, which waits for nothing: ``is_serial`` tells.
        """
        has_wall = self != before and any(name in options for name in _GROUP_ENDS)
        is_first = before.name is None and before.group is None
        return has_wall or (not is_first and self.group != before.group and is_serial and "new_group" not in options)


def _can_be_serial(jobs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether fio ran for long enough to run the groups of jobs one after the other."""
    lengths: dict[object, float] = {}
    for job in jobs:
        lengths[job.get("groupid")] = max(lengths.get(job.get("groupid"), 0.0), length_ms(job))
    elapsed_s = max((float(job.get("elapsed") or 0) for job in jobs), default=0.0)
    return not elapsed_s or sum(lengths.values()) <= elapsed_s * _SECOND_MS


def length_ms(job: Mapping[str, Any]) -> float:
    """For how long a job ran. Its reads and writes ran at the same time."""
    return max((float((job.get(name) or {}).get("runtime") or 0) for name in ("read", "write")), default=0.0)


def check_starts(jobs: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Raises UsageError for jobs that begin at different times: their sum is no throughput of any moment."""
    delays = {str(job.get("startdelay", job.get("start_delay", "0"))) for job in jobs}
    if len(delays) > 1:
        raise UsageError(
            f"{path} has jobs that begin at different times: startdelay = {', '.join(sorted(delays))}", _ALONE
        )


def check_lengths(jobs: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Raises UsageError for jobs that began together and ended at different times."""
    lengths = [length for job in jobs if not job.get("error") and (length := length_ms(job))]
    if not lengths:
        return
    least, most = min(lengths), max(lengths)
    if most > _LENGTHS_MAX * least and most - least > _SECOND_MS:
        raise UsageError(
            f"{path} has jobs that ran at the same time and ended at different times, after {least / _SECOND_MS:g} s "
            f"and {most / _SECOND_MS:g} s",
            _ALONE,
        )


def check_one_device(jobs: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Raises UsageError for jobs on different devices that ran at the same time."""
    devices = sorted({name for job in jobs if (name := str(job.get("filename", ""))).startswith("/dev/")})
    if len(devices) > 1:
        raise UsageError(
            f"{path} has jobs on {devices[0]} and on {devices[1]} that ran at the same time",
            "judge each device by itself, with outputs of jobs on that device only",
        )
