"""What the engine's events must hold. An engine that says nonsense is told by the field that makes none."""

from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, ValidationError

from iosonde.errors import EngineError
from iosonde.records import Engine, Verification
from iosonde.records.base import Record

# No clock, size or count of an engine is beyond what its integers hold.
NUMBER_MAX: Final = 1 << 64

Natural = Annotated[int, Field(ge=0, lt=NUMBER_MAX)]
Event = dict[str, Any]
_Form = TypeVar("_Form", bound=Record)


class Greeting(Record):
    """The first line."""

    version: str
    protocol: int
    build_profile: str
    engines: tuple[Engine, ...]
    io_uring_refused: str | None


class Calibrated(Record):
    """The loop's own cost."""

    overhead_ns_per_io: Natural
    clock_read_ns: Natural


class Verifying(Record):
    """How far reading back has come."""

    target: Natural
    read_bytes: Natural


class Verified(Record):
    """What was found on each target."""

    targets: tuple[Verification, ...]


def checked(form: type[_Form], event: Event) -> _Form:
    """What an event says, in the form that it must have; what else it holds is for others. Raises EngineError."""
    try:
        return form.model_validate({key: event[key] for key in form.model_fields if key in event})
    except ValidationError as error:
        raise stranger(first_of(error)) from error


def checked_result(event: Event) -> Event:
    """The result of a job, as far as it is looked at before it becomes a record. Raises EngineError."""
    result = event.get("result")
    if not isinstance(result, dict):
        raise stranger("result: it is no object")
    for name in ("outcome", "failure"):
        if name not in result:
            raise stranger(f"result.{name}: it is missing")
    failure = result["failure"]
    if failure is not None and not isinstance(failure, dict):
        raise stranger("result.failure: it is no object")
    _check_numbers(result, "result")
    return result


def check_interval(start_ns: int, end_ns: int) -> None:
    """Raises EngineError for an interval that no clock can have."""
    if not 0 <= start_ns <= end_ns < NUMBER_MAX:
        raise stranger(f"interval.end_ns: {end_ns}, after a start_ns of {start_ns}")


def first_of(error: ValidationError) -> str:
    """The first field that is wrong, and why."""
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


def stranger(what: str) -> EngineError:
    """The error for what no engine of this build says."""
    return EngineError(f"the engine sent {what}", "front and engine must come from one build: install iosonde again")


def _check_numbers(value: object, place: str) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_numbers(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_numbers(inner, f"{place}.{number}")
    elif isinstance(value, int) and not -NUMBER_MAX < value < NUMBER_MAX:
        raise stranger(f"{place}: {value:.3g}, which is beyond every number of an engine")
    elif isinstance(value, int) and value < 0 and place.endswith(("_ns", "_bytes", "count")):
        raise stranger(f"{place}: {value}, which is negative")
