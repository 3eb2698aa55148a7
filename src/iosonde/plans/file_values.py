"""The types of values in campaign files and other files written by hand: their checks and their JSON Schema."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_before_validator_function

from iosonde.errors import UsageError
from iosonde.plans.limits import CAPACITIES_MAX, PRECISION_PERCENT_MAX, PRECISION_PERCENT_MIN, REPEATS_MAX
from iosonde.records.pattern import (
    NAMED_SIZES,
    OVER_PROVISIONING_PERMILLE_MAX,
    OVER_PROVISIONING_PERMILLE_MIN,
    BlockSizes,
    Mix,
    Pattern,
)
from iosonde.units import parse_percent
from iosonde.workload_keys import EXPERIMENT_KEYS, Key, Kind, OneOf, PatternText, Quantity, SizesText, Switch, Whole
from iosonde.workload_keys.keys import BLOCK, DURATION, JOBS, QUEUE_DEPTH, RATE, READ, SPAN, WARMUP

_Value = TypeVar("_Value")
_KEYS: Final = {key.name: key for key in EXPERIMENT_KEYS}
_TWICE: Final = "list each value once; to measure a cell several times, use repeats = N, or rounds = N in a phase"


def _as_list(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    return value if isinstance(value, list) else [value]


def _each_once(values: list[Any], about: ValidationInfo) -> list[Any]:
    """Refuses a value that is listed twice: it would be the same cell twice, which is most likely a mistake."""
    for value in values:
        if values.count(value) > 1:
            shown = _KEYS[about.field_name or ""].kind.shown(value)
            raise PydanticCustomError(
                "twice",
                "{shown}",
                {"shown": shown, "hint": _TWICE},
            )
    return values


@dataclass(frozen=True)
class _InFile:
    """A number with a unit, within bounds. An error in it has its own hint."""

    kind: Quantity

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - Pydantic's own
        return no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, _: CoreSchema, __: GetJsonSchemaHandler) -> JsonSchemaValue:
        kind = self.kind
        return {
            "type": ["string", "integer"] if kind.takes_numbers else "string",
            "examples": list(kind.examples),
            "description": f"{kind.noun}{'' if kind.takes_numbers else ' with a unit'}, {kind.bounds}.",
            "$comment": kind.bounds,
        }

    def read(self, value: Any) -> int:  # noqa: ANN401 - whatever the file holds
        """The number in base units."""
        kind = self.kind
        if kind.takes_numbers and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            # A bare number of a time was most likely meant in seconds; one of a size is in no unit that can be guessed.
            is_time = kind.examples[0].endswith("s") and isinstance(value, int | float) and value is not True
            wanted = f"{value}s" if is_time else kind.examples[0]
            raise PydanticCustomError("quantity", "is not a string with a unit", {"hint": f'write "{wanted}"'})
        try:
            found = kind.parse(value, "")
        except UsageError as error:
            raise PydanticCustomError(
                "quantity", "{what}", {"what": error.message.partition("' ")[2], "hint": error.hint}
            ) from error
        if not kind.least <= found <= kind.most:
            least, most = kind.shown(kind.least), kind.shown(kind.most)
            raise PydanticCustomError("range", "is not in the range {least} to {most}", {"least": least, "most": most})
        return found


def _checked(kind: Kind[int]) -> Any:  # noqa: ANN401 - what stands beside a type in its annotation
    """The Pydantic annotation that checks a number."""
    if isinstance(kind, Quantity):
        return _InFile(kind)
    assert isinstance(kind, Whole), "a number must be an integer or have a unit"
    return Field(strict=True, ge=kind.least, le=kind.most)


class _OneOrMany:
    """Tells an editor that a single value needs no brackets."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        many = handler(core)
        return {"anyOf": [many["items"], many]}


_SIZE: Final = _InFile(BLOCK)


def _read_sizes(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """One size as for any other quantity, or several, each within the same bounds."""
    is_mix = isinstance(value, str) and (value in NAMED_SIZES or ":" in value or "," in value)
    if not is_mix:
        return _SIZE.read(value)
    mix = TypeAdapter(Mix).validate_python(value)
    for size, _ in mix.shares:
        _SIZE.read(str(size))
    return mix


Sizes = Annotated[
    int | BlockSizes,
    PlainValidator(_read_sizes),
    WithJsonSchema(
        {
            "type": "string",
            "examples": [*_SIZE.kind.examples, "4KiB:70,64KiB:30", *NAMED_SIZES],
            "description": f"Size with a unit, {_SIZE.kind.bounds}, or several sizes with weights.",
            "$comment": _SIZE.kind.bounds,
        }
    ),
]
Percent = Annotated[int, _checked(READ.kind)]
Depth = Annotated[int, _checked(QUEUE_DEPTH.kind)]
Jobs = Annotated[int, _checked(JOBS.kind)]
Rate = Annotated[int, _checked(RATE.kind)]
Span = Annotated[int, _checked(SPAN.kind)]
Duration = Annotated[int, _checked(DURATION.kind)]
Warmup = Annotated[int, _checked(WARMUP.kind)]
Repeats = Annotated[int, Field(strict=True, ge=1, le=REPEATS_MAX)]
Several = Annotated[
    list[_Value], BeforeValidator(_as_list), Field(min_length=1), AfterValidator(_each_once), _OneOrMany()
]
"""One value, or a list of values for a sweep. Several lists give all combinations."""


@dataclass(frozen=True)
class _PercentInFile:
    """Percent in the syntax of a flag, or as a bare number, within bounds."""

    least: float
    most: float

    def read(self, value: Any) -> float:  # noqa: ANN401 - whatever the file holds
        """The number of percent."""
        text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            raise PydanticCustomError("quantity", "is not a percentage", {"hint": 'write "2%"'})
        try:
            found = parse_percent(text, "")
        except UsageError as error:
            raise PydanticCustomError(
                "quantity", "{what}", {"what": error.message.partition("' ")[2], "hint": error.hint}
            ) from error
        if not self.least <= found <= self.most:
            least, most = f"{self.least:g}%", f"{self.most:g}%"
            raise PydanticCustomError("range", "is not in the range {least} to {most}", {"least": least, "most": most})
        return found

    def in_schema(self, *examples: str) -> WithJsonSchema:
        """Its JSON Schema."""
        bounds = f"{self.least:g}% to {self.most:g}%"
        return WithJsonSchema(
            {
                "type": ["string", "number"],
                "examples": list(examples),
                "description": f"Percent, {bounds}.",
                "$comment": bounds,
            }
        )


_PRECISION: Final = _PercentInFile(PRECISION_PERCENT_MIN, PRECISION_PERCENT_MAX)
Precision = Annotated[float, PlainValidator(_PRECISION.read), _PRECISION.in_schema("2%", "0.5%")]
_PERCENTAGE: Final = _PercentInFile(1, 100)
Percentage = Annotated[float, PlainValidator(_PERCENTAGE.read), _PERCENTAGE.in_schema("20%", "75%")]
_SPARE: Final = _PercentInFile(OVER_PROVISIONING_PERMILLE_MIN / 10, OVER_PROVISIONING_PERMILLE_MAX / 10)


def _read_spare(value: Any) -> int:  # noqa: ANN401 - whatever the file holds
    """An over-provisioning in thousandths."""
    return round(10 * _SPARE.read(value))


OverProvisioning = Annotated[int, PlainValidator(_read_spare), _SPARE.in_schema("15%", "7%")]
Capacities = Annotated[int, Field(strict=True, ge=1, le=CAPACITIES_MAX)]
Block = Annotated[int, _checked(BLOCK)]


def experiment_fields() -> dict[str, Any]:
    """The keys of an ``[[experiment]]`` as fields of a Pydantic model, made from the descriptions of the keys."""
    return {key.name: _field(key) for key in EXPERIMENT_KEYS}


def _field(key: Key[Any]) -> tuple[Any, Any]:
    about = key.in_file
    assert about is not None, "not a key of an experiment"
    several: Any = Several
    kind = several[_type_of(key)] if about.swept else _type_of(key)
    if about.needed:
        return kind, Field(description=key.description)
    default = None if about.inherits else _default_of(key)
    if default is None:
        return kind | None, Field(default=None, description=key.description)
    return kind, Field(default=[default] if about.swept else default, description=key.description)


def _type_of(key: Key[Any]) -> Any:  # noqa: ANN401 - a type with annotations for Pydantic
    match key.kind:
        case Whole() | Quantity():
            return Annotated[int, _checked(key.kind)]
        case OneOf(words):
            return words
        case Switch():
            return Annotated[bool, Field(strict=True)]
        case PatternText():
            return Pattern
        case SizesText():
            return Sizes
    raise AssertionError(f"{key.name} has an unsupported type")


def _default_of(key: Key[Any]) -> Any:  # noqa: ANN401 - of the key's kind
    """The default in base units."""
    if isinstance(key.kind, Quantity) and key.default is not None:
        return key.kind.parse(key.default, key.flag)
    return key.default
