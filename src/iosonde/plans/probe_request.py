"""The workload of a probe, from its flags or from Python arguments of the same names."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from iosonde.errors import UsageError
from iosonde.plans.limits import check_rate, check_switch, check_whole
from iosonde.plans.timings import timing_of
from iosonde.plans.workloads import workload_of
from iosonde.records import Timing, Workload, parse_pattern, parse_sizes
from iosonde.records.workload import ALL_READS
from iosonde.workload_keys import PROBE_KEYS, Key, OneOf, PatternText, Quantity, SizesText, Switch, Whole

_Word = TypeVar("_Word", bound=StrEnum)


def probe_request(asked: Mapping[str, Any], *, targets: int) -> tuple[Workload, Timing]:
    """The requested workload and timing, by the names of keys. Errors (UsageError) name the flags."""
    values = {key.name: _read(key, asked[key.name]) for key in PROBE_KEYS}
    _check_shares(values)
    _check_pace(values)
    _check_rest(values)
    _check_duty(values)
    return workload_of(values, targets=targets), timing_of(values["warmup"], values["duration"])


def choice_of(words: type[_Word], given: str, flag: str) -> _Word:
    """One of a few words. Raises UsageError with the message of the command-line parser."""
    try:
        return words(given)
    except ValueError:
        names = [str(word) for word in words]
        raise UsageError(
            f"{flag}: {given!r} is not one of {', '.join(map(repr, names))}", f"use one of {', '.join(names)}"
        ) from None


def _read(key: Key[Any], given: Any) -> Any:  # noqa: ANN401 - of the key's kind
    """The value in base units; None if it is not given and has no default."""
    if given is None and key.default is None:
        return None
    found = given
    match key.kind:
        case Whole(least, most):
            check_whole(given, key.flag, least, most)
        case OneOf(words):
            found = choice_of(words, given, key.flag)
        case PatternText():
            found = parse_pattern(str(given), key.flag)
        case SizesText():
            found = parse_sizes(str(given), key.flag)
        case Quantity(parse=parse):
            found = parse(str(given), key.flag)
        case Switch():
            check_switch(given, key.flag)
        case _:
            pass
    return found


def _check_shares(values: Mapping[str, Any]) -> None:
    read, trim, compressible, duplicates = (values[key] for key in ("read", "trim", "compressible", "duplicates"))
    check_whole(trim, "--trim", 0, ALL_READS - read)
    if (compressible or duplicates) and read + trim == ALL_READS:
        raise UsageError(
            f"{'--compressible' if compressible else '--duplicates'} needs writes, but the workload has none",
            f"add writes (--read below 100), or omit {'it' if not (compressible and duplicates) else 'both'}",
        )


def _check_pace(values: Mapping[str, Any]) -> None:
    rate, arrivals = values["rate"], values["arrivals"]
    if rate is not None:
        check_rate(rate)
    elif arrivals is not None:
        raise UsageError(
            f"--arrivals {arrivals} needs a rate",
            "add --rate, such as --rate 20k, or omit --arrivals",
        )


def _check_rest(values: Mapping[str, Any]) -> None:
    """A burst and its think time require each other."""
    burst, think_time = values["burst"], values["think_time"]
    if (burst is None) != (think_time is None):
        given, other = ("--think-time", "--burst 64") if burst is None else ("--burst", "--think-time 10ms")
        raise UsageError(f"{given} needs {other.split()[0]}", f"add {other}")


def _check_duty(values: Mapping[str, Any]) -> None:
    """The two times of a duty cycle require each other."""
    on_time, off_time = values["on_time"], values["off_time"]
    if (on_time is None) != (off_time is None):
        given, other = ("--off-time", "--on-time 5s") if on_time is None else ("--on-time", "--off-time 25s")
        raise UsageError(f"{given} needs {other.split()[0]}", f"add {other}")
