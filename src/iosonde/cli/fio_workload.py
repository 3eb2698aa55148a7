"""``iosonde probe --fio``: a fio job instead of the workload flags."""

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from iosonde.cli.messages import say
from iosonde.errors import UsageError
from iosonde.plans import choice_of
from iosonde.plans.other_tools.fio_jobs import FioJob, chosen_job, read_command, read_jobs
from iosonde.plans.other_tools.fio_translation import Translation, translate
from iosonde.plans.other_tools.said import Flag
from iosonde.plans.validation_errors import TEXT_BYTES_MAX
from iosonde.printing import printable, quoted
from iosonde.safe_files import read_regular
from iosonde.vocabulary import EngineChoice, Poll
from iosonde.workload_keys import PROBE_KEYS

_KEYS: Final = {key.flag: key for key in PROBE_KEYS}
# A simulated drive and the null target do not use the kernel.
_WITHOUT_KERNEL: Final = ("sim:", "null:")
_ABOUT_KERNEL: Final = frozenset({"--engine", "--poll", "--buffered"})
_OPTIONS_ABOUT_KERNEL: Final = frozenset({"ioengine", "direct"})


@dataclass(frozen=True)
class Asked:
    """What to probe, from the flags or from a fio job."""

    targets: list[str]
    workload: dict[str, Any]
    size: str | None
    buffered: bool
    engine: EngineChoice
    poll: Poll
    names_file: bool = False


def said_by_fio(text: str, asked: Asked, given: Collection[str]) -> Asked:
    """The request of the job. ``given`` are the names of the other flags on the command line. Reports differences.

    Raises UsageError.
    """
    beside = next((key.flag for key in PROBE_KEYS if key.name in given), None)
    if beside is not None:
        raise UsageError(
            f"{beside} and --fio both specify the workload",
            f"omit {beside}, or replace --fio with the equivalent flags that it lists",
        )
    job, program = _job_of(text)
    found = translate(job, program)
    targets = asked.targets or ([] if found.target is None else [found.target])
    if not targets:
        raise UsageError(
            "the fio job specifies no file; fio would create one in the current directory",
            "specify a target: iosonde probe . --fio ...",
        )
    flags = [flag for flag in found.flags if not _is_settled(flag, targets, given)]
    _tell(found, flags, targets, given, asked)
    return replace(_with(asked, targets, flags), names_file=not asked.targets and "filename" in job.options)


def _job_of(text: str) -> tuple[FioJob, dict[str, str]]:
    """The job of a job file, of a section of one, or of a command line."""
    # The path and the section can both contain colons. The longest path that exists is meant.
    colons = [at for at, character in enumerate(text) if character == ":"]
    for end in (len(text), *reversed(colons)):
        if _is_file(text[:end]):
            section = text[end + 1 :] if end < len(text) else None
            return chosen_job(read_jobs(_read(text[:end]), os.environ), section), {}
    if not any(character in text for character in " =\n"):
        raise UsageError(f"{text} is neither a job file nor a fio command line", 'use --fio JOBFILE or --fio "fio ..."')
    command = read_command(text, _read, os.environ)
    return chosen_job(command.jobs, None), command.program


def _is_file(text: str) -> bool:
    """Whether the text is the path of a file. A command line can be too long for a path, or contain a null byte."""
    try:
        return Path(text).is_file()
    except PermissionError:
        # Reading it reports the reason.
        return True
    except (OSError, ValueError):
        return False


def _read(name: str) -> str:
    try:
        return read_regular(Path(name), bytes_max=TEXT_BYTES_MAX, follow=True).decode()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}", "specify a fio job file") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not a text file", "specify a fio job file") from error


def _is_settled(flag: Flag, targets: list[str], given: Collection[str]) -> bool:
    """Whether another flag on the command line sets it, or the target doesn't need it."""
    if flag.flag.removeprefix("--") in given:
        return True
    return flag.flag in _ABOUT_KERNEL and targets[0].startswith(_WITHOUT_KERNEL)


def _tell(found: Translation, flags: list[Flag], targets: list[str], given: Collection[str], asked: Asked) -> None:
    """Prints the equivalent command, and one line for each difference and each ignored option."""
    words = [quoted(target) for target in targets] + [flag.text for flag in flags]
    beside = {"size": asked.size, "engine": asked.engine, "poll": asked.poll}
    words += [f"--{name} {value}" for name, value in beside.items() if name in given]
    words += [f"--{name}" for name in ("buffered", "overwrite") if name in given]
    say(f"same as: iosonde probe {' '.join(words)}")
    by_itself = _OPTIONS_ABOUT_KERNEL if targets[0].startswith(_WITHOUT_KERNEL) else frozenset()
    for each in found.differs:
        if each.option in by_itself:
            continue
        say(f"differs: {printable(each.option)}: {each.reason}")
    if asked.targets and found.target is not None and found.target not in asked.targets:
        used = ", ".join(map(printable, targets))
        say(f"differs: filename: the probe uses {used} instead of {printable(found.target)}")
    together: dict[str, list[str]] = {}
    for note in found.ignored:
        if note.option in by_itself:
            continue
        together.setdefault(note.reason, []).append(note.option)
    for reason, options in together.items():
        say(f"ignored: {', '.join(options)}: {reason}")


def _with(asked: Asked, targets: list[str], flags: list[Flag]) -> Asked:
    said = {flag.flag: flag.value for flag in flags}
    workload = dict(asked.workload)
    for flag, key in _KEYS.items():
        if flag in said:
            # A switch has no value.
            workload[key.name] = True if said[flag] is None else said[flag]
    return replace(
        asked,
        targets=targets,
        workload=workload,
        size=str(said["--size"]) if "--size" in said else asked.size,
        buffered=asked.buffered or "--buffered" in said,
        engine=choice_of(EngineChoice, str(said["--engine"]), "--engine") if "--engine" in said else asked.engine,
        poll=choice_of(Poll, str(said["--poll"]), "--poll") if "--poll" in said else asked.poll,
    )
