"""From one fio job to the flags of ``iosonde probe``, with all differences. Refuses what is not supported."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from iosonde.errors import UsageError
from iosonde.plans.other_tools import fio_content, fio_loop
from iosonde.plans.other_tools.fio_jobs import FioJob
from iosonde.plans.other_tools.fio_options import FioOptions, refused
from iosonde.plans.other_tools.fio_words import PROGRAM, WORDS, FioWord, Handling
from iosonde.plans.other_tools.said import Differs, Flag, Ignored, Said

_PARTS = (
    fio_loop.access,
    fio_loop.sizes,
    fio_loop.depth,
    fio_loop.engine,
    fio_loop.pace,
    fio_content.durability,
    fio_content.content,
    fio_content.place,
    fio_loop.time,
)


@dataclass(frozen=True)
class Translation:
    """A job as a probe: its flags, the target that the job names (None for none), and the differences."""

    target: str | None
    flags: tuple[Flag, ...]
    differs: tuple[Differs, ...]
    ignored: tuple[Ignored, ...]


def translate(job: FioJob, program: Mapping[str, str] | None = None) -> Translation:
    """The job as a probe. Raises UsageError for an option that is unknown or would change the workload."""
    options = FioOptions(job)
    said = [*_of_table(program or {}, PROGRAM), *_of_table(job.options, WORDS)]
    said += [each for part in _PARTS for each in part(options)]
    if "readonly" in (program or {}) and not (options.reads and not options.writes):
        raise UsageError("the fio job writes, but --readonly is set", "remove --readonly, or use a job that only reads")
    return Translation(
        fio_content.target_of(options),
        tuple(each for each in said if isinstance(each, Flag)),
        tuple(each for each in said if isinstance(each, Differs)),
        tuple(each for each in said if isinstance(each, Ignored)),
    )


def _of_table(given: Mapping[str, str], table: Mapping[str, FioWord]) -> Iterator[Said]:
    """The handling of options without a counterpart."""
    for name, value in given.items():
        word = table.get(name)
        if word is None:
            raise UsageError(
                f"unknown fio option {name}",
                "check the spelling, or remove the option if it does not affect the workload",
            )
        if word.handling is Handling.REFUSED and value not in word.harmless:
            raise refused(name, value, word.reason)
        if word.handling is Handling.DIFFERS and value not in word.harmless:
            yield Differs(name, word.reason)
        elif word.handling is Handling.IGNORED:
            yield Ignored(name, word.reason)
