"""Reads fio's command lines and job files into the options of each job. Opens no target and guesses nothing."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.other_tools.fio_words import PROGRAM, PROGRAM_SWITCHES, SWITCHES, Handling, fio_name

ReadFile = Callable[[str], str]
_GLOBAL: Final = "global"
_FILE: Final = ""
_SHELL: Final = frozenset({"|", "||", ";", "&", "&&", ">", ">>", "<", "2>", "2>&1", "&>"})
_SECTION: Final = re.compile(r"\[(.*)\]")
_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
# An option that is the inverse of another is stored under the name of that one. The last of the two applies.
_OPPOSITE: Final = {
    "buffered": ("direct", {"0": "1", "1": "0", "": "0"}),
    "rwmixwrite": ("rwmixread", {str(share): str(100 - share) for share in range(101)}),
}


@dataclass
class FioJob:
    """A job's options by name, including those of ``[global]``. An option without a value has an empty one."""

    name: str
    options: dict[str, str] = field(default_factory=dict)

    def say(self, name: str, value: str) -> None:
        """Sets an option and replaces an earlier value."""
        name = fio_name(name)
        opposite, values = _OPPOSITE.get(name, (name, {}))
        if opposite != name and value not in values:
            raise UsageError(f"fio does not accept {name}={value}", f"write {opposite} instead")
        self.options.pop(opposite, None)
        self.options[opposite] = values.get(value, value) if opposite != name else value


@dataclass
class FioCommand:
    """The content of a command line: jobs, and options of the program."""

    jobs: list[FioJob]
    program: dict[str, str] = field(default_factory=dict)


def read_command(text: str, read_file: ReadFile, environment: Mapping[str, str]) -> FioCommand:
    """The jobs of a command line, which may name a job file. Raises UsageError."""
    command, head = FioCommand([]), FioJob(_GLOBAL)
    files: list[str] = []
    sections: list[str] = []
    current = head
    for name, value in _said(_words(text)):
        if name == _FILE:
            files.append(value)
        elif name == "section":
            sections.append(value)
        elif name in PROGRAM:
            command.program[name] = value
        elif name != "name":
            current.say(name, value)
        elif value == _GLOBAL:
            current = head
        else:
            current = FioJob(value, dict(head.options))
            command.jobs.append(current)
    for name in files:
        command.jobs += read_jobs(read_file(name), environment, head)
    if sections:
        command.jobs = [job for job in command.jobs if job.name in sections]
    return command


def _said(words: list[str]) -> Iterator[tuple[str, str]]:
    """Options with their values in order, and job files under an empty name."""
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-") or word == "-":
            yield _FILE, word
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        if not has_value and _needs_value(name):
            following = next(waiting, None)
            if following is None:
                raise UsageError(f"fio option {name} has no value", f"write --{name}=VALUE")
            value = following
        yield name, value


def read_jobs(text: str, environment: Mapping[str, str], head: FioJob | None = None) -> list[FioJob]:
    """The jobs of a job file. Raises UsageError."""
    shared = FioJob(_GLOBAL, {} if head is None else dict(head.options))
    jobs: list[FioJob] = []
    current: FioJob | None = None
    for number, line in enumerate(text.splitlines(), 1):
        said = re.split("[;#]", line, maxsplit=1)[0].strip()
        section = _SECTION.fullmatch(said)
        if section is not None:
            name = section[1].strip()
            current = shared if name == _GLOBAL else FioJob(name, dict(shared.options))
            if current is not shared:
                jobs.append(current)
        elif said and current is None:
            raise UsageError(
                f"line {number} of the job file is not in a section: {said[:40]}", "start the file with [global]"
            )
        elif said and current is not None:
            name, _, value = said.partition("=")
            if name.split()[0] == "include":
                raise UsageError("the job file includes another file", "copy the included options into the job file")
            value = _expanded(value.strip(), environment)
            if name.strip() == "name":
                current.name = value
            else:
                current.say(name.strip(), value)
    return jobs


def chosen_job(jobs: list[FioJob], section: str | None) -> FioJob:
    """The one job to run. Raises UsageError."""
    names = [job.name for job in jobs]
    if section is not None:
        jobs = [job for job in jobs if job.name == section]
    if len(jobs) == 1:
        return jobs[0]
    if not names:
        raise UsageError("the input defines no fio job", "add --name=NAME, or a section to the job file")
    if not jobs:
        raise UsageError(f"no job is named {section}", f"available jobs: {', '.join(names)}")
    if section is not None or len(set(names)) == 1:
        raise UsageError(f"{len(jobs)} jobs have the name {jobs[0].name}", "give each job a unique name")
    raise UsageError(
        f"a probe measures one workload, but the input has {len(jobs)} jobs",
        f"select one with JOBFILE:SECTION, or with --section=NAME in the command (jobs: {', '.join(names)})",
    )


def _words(text: str) -> list[str]:
    """The arguments of ``fio``, split as a shell does."""
    try:
        words = shlex.split(text.replace("\\\n", " "))
    except ValueError as error:
        raise UsageError("the fio command line has an unclosed quote", "paste the complete command") from error
    if words[:1] == ["sudo"]:
        words = words[1:]
    if words and not words[0].startswith("-") and PurePath(words[0]).name == "fio":
        words = words[1:]
    beyond = next((word for word in words if word in _SHELL), None)
    if beyond is not None:
        raise UsageError(f"the fio command is followed by {beyond}", "paste only the fio command")
    return words


def _needs_value(name: str) -> bool:
    if name in PROGRAM:
        return name not in PROGRAM_SWITCHES and PROGRAM[name].handling is not Handling.REFUSED
    return fio_name(name) not in SWITCHES


def _expanded(value: str, environment: Mapping[str, str]) -> str:
    """The value with environment variables expanded, as fio does."""

    def held(match: re.Match[str]) -> str:
        found = environment.get(match[1])
        if found is None:
            raise UsageError(
                f"the job file uses the environment variable {match[1]}, which is not set", f"set {match[1]}"
            )
        return found

    return _VARIABLE.sub(held, value)
