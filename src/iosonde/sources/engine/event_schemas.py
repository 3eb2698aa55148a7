"""Schemas of the engine's events. An event that does not fit is an error that names its field."""

from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, ValidationError

from iosonde.errors import HINT_ONE_BUILD, EngineError
from iosonde.records import DeviceInspection, Drive, Engine, Verification
from iosonde.records.base import Record, first_error

# The engine's clocks, sizes and counts are 64-bit.
NUMBER_MAX: Final = 1 << 64

Natural = Annotated[int, Field(ge=0, lt=NUMBER_MAX)]
Event = dict[str, Any]
_Schema = TypeVar("_Schema", bound=Record)


class Greeting(Record):
    """The first line."""

    version: str
    protocol: int
    build_profile: str
    engines: tuple[Engine, ...]
    io_uring_refused: str | None


class Calibrated(Record):
    """The engine's own cost per operation."""

    overhead_ns_per_io: Natural
    clock_read_ns: Natural


class Inspected(Record):
    """What an inspection of a block device found."""

    inspection: DeviceInspection


class HealthRead(Record):
    """The health of the drives below a path."""

    drives: tuple[Drive, ...]


class SimulatedPurged(Record):
    """Whether each simulated drive was purged."""

    purged: tuple[bool, ...]


class Verifying(Record):
    """The progress of reading back."""

    target: Natural
    read_bytes: Natural


class Verified(Record):
    """The result of reading back each target."""

    targets: tuple[Verification, ...]


def checked(schema: type[_Schema], event: Event) -> _Schema:
    """The fields of a schema in an event; other fields are ignored. Raises EngineError."""
    try:
        return schema.model_validate({key: event[key] for key in schema.model_fields if key in event})
    except ValidationError as error:
        raise protocol_error(first_error(error)) from error


def checked_result(event: Event) -> Event:
    """The result of a job, with the fields checked that are used before it becomes a record. Raises EngineError."""
    result = event.get("result")
    if not isinstance(result, dict):
        raise protocol_error("result is not an object")
    for name in ("outcome", "failure"):
        if name not in result:
            raise protocol_error(f"result.{name} is missing")
    failure = result["failure"]
    if failure is not None and not isinstance(failure, dict):
        raise protocol_error("result.failure is not an object")
    _check_numbers(result, "result")
    return result


def check_interval(start_ns: int, end_ns: int) -> None:
    """Raises EngineError for an interval that begins before 0, ends before it begins, or is out of range."""
    if not 0 <= start_ns <= end_ns < NUMBER_MAX:
        raise protocol_error(f"the interval from start_ns {start_ns} to end_ns {end_ns} is invalid")


def protocol_error(what: str) -> EngineError:
    """The error for output that an engine of this build does not send."""
    return EngineError(f"the engine sent invalid output: {what}", HINT_ONE_BUILD)


def _check_numbers(value: object, place: str) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_numbers(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_numbers(inner, f"{place}.{number}")
    elif isinstance(value, int) and not -NUMBER_MAX < value < NUMBER_MAX:
        raise protocol_error(f"{place} is {value:.3g}, which is out of range")
    elif isinstance(value, int) and value < 0 and place.endswith(("_ns", "_bytes", "count")):
        raise protocol_error(f"{place} is {value}, which is negative")
