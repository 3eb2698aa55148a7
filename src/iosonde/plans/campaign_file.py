"""A campaign as its file says it: checked names, ranges and units, with the matrix written once."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_before_validator_function

from iosonde.errors import UsageError
from iosonde.plans.limits import (
    AMOUNT_BYTES_MAX,
    BLOCK_SIZE_BYTES_MAX,
    COUNT_MAX,
    DURATION_NS_MAX,
    DURATION_NS_MIN,
    JOBS_MAX,
    PRECISION_PERCENT_MAX,
    PRECISION_PERCENT_MIN,
    QUEUE_DEPTH_MAX,
    RATE_PER_S_MAX,
    REPEATS_MAX,
    SECTOR_BYTES,
    TARGETS_MAX,
)
from iosonde.records.pattern import NAMED_SIZES, BlockSizes, Mix, Pattern
from iosonde.units import (
    exact_duration,
    exact_size,
    format_rate,
    parse_bytes,
    parse_duration,
    parse_percent,
    parse_rate,
)
from iosonde.vocabulary import Arrivals, Data, Sync

_Value = TypeVar("_Value")


class Kind(StrEnum):
    """The section of the report that an experiment's cells go to; ``matrix`` is one table of all of them."""

    BASELINE = "baseline"
    BLOCK_SIZE = "block_size"
    MIX = "mix"
    QUEUE_DEPTH = "queue_depth"
    TAIL = "tail"
    MATRIX = "matrix"


class Order(StrEnum):
    """How cells follow one another within a repeat: drawn anew for each, or as they are written."""

    RANDOM = "random"
    LISTED = "listed"


RATE_KINDS: Final = frozenset({Kind.MATRIX, Kind.TAIL})
"""Sections that are about any cells; the others set closed loops against each other, by depth or without a queue."""


def _as_list(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    return value if isinstance(value, list) else [value]


def _each_once(values: list[Any], about: ValidationInfo) -> list[Any]:
    """A value that is listed twice would be one cell twice, which is most likely a slip."""
    for value in values:
        if values.count(value) > 1:
            shown = _SHOWN.get(about.field_name or "", str)(value)
            raise PydanticCustomError(
                "twice", "{shown}", {"shown": shown, "hint": "each value once; repeats = N measures a cell again"}
            )
    return values


_SHOWN: Final[dict[str, Callable[[Any], str]]] = {
    "block_size": lambda size: exact_size(size) if isinstance(size, int) else str(size),
    "offset": exact_size,
    "span": exact_size,
    "think_time": exact_duration,
    "amount": exact_size,
    "duration": exact_duration,
    "rate": format_rate,
}


@dataclass(frozen=True)
class _Quantity:
    """A number with a unit, within bounds; a mistake in it keeps its own way out."""

    parse: Callable[[str, str], int]
    least: int
    most: int
    shown: Callable[[int], str]
    noun: str
    examples: tuple[str, ...]
    # Whether a bare number is clear, so that it may stand without quotes.
    takes_numbers: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - Pydantic's own
        return no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, _: CoreSchema, __: GetJsonSchemaHandler) -> JsonSchemaValue:
        bounds = f"{self.shown(self.least)} to {self.shown(self.most)}"
        return {
            "type": ["string", "integer"] if self.takes_numbers else "string",
            "examples": list(self.examples),
            "description": f"{self.noun}, {bounds}." if self.takes_numbers else f"{self.noun} with a unit, {bounds}.",
            "$comment": bounds,
        }

    def read(self, value: Any) -> int:  # noqa: ANN401 - whatever the file holds
        """The number in its base unit."""
        if self.takes_numbers and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise PydanticCustomError("quantity", "is not text with a unit", {"hint": f'write "{self.examples[0]}"'})
        try:
            found = self.parse(value, "")
        except UsageError as error:
            raise PydanticCustomError(
                "quantity", "{what}", {"what": error.message.partition("' ")[2], "hint": error.hint}
            ) from error
        if not self.least <= found <= self.most:
            least, most = self.shown(self.least), self.shown(self.most)
            raise PydanticCustomError("range", "is not within {least} to {most}", {"least": least, "most": most})
        return found


class _OneOrMany:
    """Tells an editor that a list of one may be written without its brackets."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        many = handler(core)
        return {"anyOf": [many["items"], many]}


_SIZE: Final = _Quantity(parse_bytes, SECTOR_BYTES, BLOCK_SIZE_BYTES_MAX, exact_size, "Bytes", ("4KiB", "1MiB"))


def _read_sizes(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """One size as any other quantity; several of them, each within the same bounds."""
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
            "examples": ["4KiB", "1MiB", "4KiB:70,64KiB:30", *NAMED_SIZES],
            "description": "Bytes with a unit, 512 B to 64 MiB; several with their weights.",
            "$comment": "512 B to 64 MiB",
        }
    ),
]
Extent = Annotated[int, _Quantity(parse_bytes, 0, AMOUNT_BYTES_MAX, exact_size, "Bytes", ("1GiB", "64MiB"))]
Count = Annotated[int, Field(strict=True, ge=1, le=COUNT_MAX)]
Amount = Annotated[int, _Quantity(parse_bytes, SECTOR_BYTES, AMOUNT_BYTES_MAX, exact_size, "Bytes", ("64GiB",))]
Duration = Annotated[
    int, _Quantity(parse_duration, DURATION_NS_MIN, DURATION_NS_MAX, exact_duration, "Time", ("5s", "200ms", "2m"))
]
Warmup = Annotated[int, _Quantity(parse_duration, 0, DURATION_NS_MAX, exact_duration, "Time", ("1s", "0s"))]
Rate = Annotated[
    int,
    _Quantity(parse_rate, 1, RATE_PER_S_MAX, format_rate, "Operations a second", ("20k", "500"), takes_numbers=True),
]
Percent = Annotated[int, Field(strict=True, ge=0, le=100)]
Depth = Annotated[int, Field(strict=True, ge=1, le=QUEUE_DEPTH_MAX)]
Jobs = Annotated[int, Field(strict=True, ge=1, le=JOBS_MAX)]
Targets = Annotated[int, Field(strict=True, ge=1, le=TARGETS_MAX)]
Repeats = Annotated[int, Field(strict=True, ge=1, le=REPEATS_MAX)]
Several = Annotated[
    list[_Value], BeforeValidator(_as_list), Field(min_length=1), AfterValidator(_each_once), _OneOrMany()
]
"""One value or a list of them: a list is a sweep, and several lists are all their combinations."""


def _in_text(schema: dict[str, Any]) -> None:
    """A default as the file would write it, and not in the nanoseconds that are held inside."""
    schema["default"] = exact_duration(schema["default"]).replace(" ", "")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def _read_percent(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """Percent as a flag takes it; a bare number is clear enough."""
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise PydanticCustomError("quantity", "is not a share in percent", {"hint": 'write "2%"'})
    try:
        found = parse_percent(text, "")
    except UsageError as error:
        raise PydanticCustomError(
            "quantity", "{what}", {"what": error.message.partition("' ")[2], "hint": error.hint}
        ) from error
    if not PRECISION_PERCENT_MIN <= found <= PRECISION_PERCENT_MAX:
        least, most = f"{PRECISION_PERCENT_MIN:g}%", f"{PRECISION_PERCENT_MAX:g}%"
        raise PydanticCustomError("range", "is not within {least} to {most}", {"least": least, "most": most})
    return found


Precision = Annotated[
    float,
    PlainValidator(_read_percent),
    WithJsonSchema(
        {
            "type": ["string", "number"],
            "examples": ["2%", "0.5%"],
            "description": f"Percent, {PRECISION_PERCENT_MIN:g}% to {PRECISION_PERCENT_MAX:g}%.",
            "$comment": f"{PRECISION_PERCENT_MIN:g}% to {PRECISION_PERCENT_MAX:g}%",
        }
    ),
]


class ExperimentTable(_Table):
    """One ``[[experiment]]``: each key takes a value or a list, and all combinations are cells."""

    name: str = Field(description="What the experiment is called.", min_length=1)
    kind: Kind = Field(default=Kind.MATRIX, description="The section of the report.")
    pattern: Several[Pattern] = Field(description="Where the next block lies.")
    read: Several[Percent] = Field(description="Share of reads in percent.")
    trim: Several[Percent] = Field(default=[0], description="Share of trims in percent; the rest is written.")
    block_size: Several[Sizes] = Field(description="Bytes of each operation, or several sizes with their weights.")
    queue_depth: Several[Depth] = Field(
        description="Operations that each job keeps in flight; with a rate, the most that it has in flight."
    )
    rate: Several[Rate] | None = Field(
        default=None,
        description="Operations wanted a second on each target, whatever becomes of others; default: full queues.",
    )
    arrivals: Several[Arrivals] | None = Field(
        default=None, description="How operations that are wanted at a rate follow each other; default: poisson."
    )
    jobs: Several[Jobs] = Field(default=[1], description="Workers, each with a queue of its own.")
    sync: Several[Sync] = Field(default=[Sync.NONE], description="When a write counts as done.")
    flush_every: Several[Count] = Field(
        default=[1], description="With sync = fdatasync: writes of a worker behind the last of which comes the flush."
    )
    data: Several[Data] = Field(default=[Data.RANDOM], description="What writes carry.")
    compressible: Several[Percent] = Field(
        default=[0], description="With data = random: by how much of its size it can be compressed, in percent."
    )
    duplicates: Several[Percent] = Field(
        default=[0], description="Share of writes that carry what was written before, in percent."
    )
    offset: Several[Extent] = Field(default=[0], description="Where the used part of the target begins.")
    span: Several[Extent] | None = Field(
        default=None, description="How much is used from there on; default: up to the end."
    )
    burst: Several[Count] | None = Field(
        default=None, description="Operations of a worker that follow each other, before it rests."
    )
    think_time: Several[Warmup] | None = Field(
        default=None, description="The rest, from the completion of a burst's last operation."
    )
    targets: Several[Targets] | None = Field(
        default=None, description="How many of the given targets are used, from the first on; default: all of them."
    )
    warmup: Warmup | None = Field(default=None, description="Time before measuring; default: the campaign's.")
    duration: Several[Duration] | None = Field(default=None, description="Time that counts; default: the campaign's.")
    amount: Several[Amount] | None = Field(default=None, description="Bytes to move, instead of a time.")
    repeats: Repeats | None = Field(default=None, description="Default: the campaign's.")

    @model_validator(mode="after")
    def _agrees(self) -> "ExperimentTable":
        if self.amount is not None and (self.duration is not None or self.warmup is not None):
            raise PydanticCustomError(
                "agree", "amount goes with neither duration nor warmup", {"key": "amount", "hint": "leave one away"}
            )
        if self.arrivals is not None and self.rate is None:
            raise PydanticCustomError(
                "agree",
                "arrivals is about operations that are wanted at a rate, and there is none",
                {"key": "arrivals", "hint": 'add rate = "20k", or leave arrivals away'},
            )
        if (self.burst is None) != (self.think_time is None):
            given, other = ("think_time", "burst = 64") if self.burst is None else ("burst", 'think_time = "10ms"')
            raise PydanticCustomError(
                "agree", f"{given} says half of how a worker rests", {"key": given, "hint": f"add {other}"}
            )
        if self.rate is not None and self.kind not in RATE_KINDS:
            raise PydanticCustomError(
                "agree",
                "{what}",
                {
                    "what": f"rate does not go with kind = {self.kind}, which is about queues that are kept full",
                    "key": "rate",
                    "hint": f"leave kind away, or write one of {', '.join(sorted(RATE_KINDS))}",
                },
            )
        if any(sync is not Sync.NONE for sync in self.sync) and 100 in self.read:  # noqa: PLR2004 - percent
            raise PydanticCustomError(
                "agree",
                "sync is about writes, and read = 100 has none",
                {"key": "sync", "hint": "put reads into an experiment of their own"},
            )
        return self


class CampaignTable(_Table):
    """A whole campaign file."""

    name: str = Field(description="What the campaign is called.", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    about: str = Field(default="", description="Why it is as it is.")
    repeats: Repeats = Field(default=3, description="How often each cell is measured, with a fresh seed each time.")
    order: Order = Field(default=Order.RANDOM, description="How cells follow one another within a repeat.")
    fill: Data = Field(default=Data.RANDOM, description="What the target is written with before anything is read.")
    verify: bool = Field(
        default=False,
        strict=True,
        description="Whether targets are read back after each cell that writes, and compared with what was written.",
    )
    warmup: Warmup = Field(
        default=10**9, description="Time before measuring: recorded, not counted.", json_schema_extra=_in_text
    )
    duration: Duration = Field(default=5 * 10**9, description="Time that counts.", json_schema_extra=_in_text)
    precision: Precision | None = Field(
        default=None,
        description="How narrow the 95 % intervals of throughput, mean latency and p99 are to be, on either side: each "
        "cell is measured until they are, in short repeats at first, none longer than duration; default: fixed times.",
    )
    budget: Duration | None = Field(
        default=None, description="With precision: the time that all cells together may take; default: 5 minutes."
    )
    first_duration: Duration | None = Field(
        default=None,
        description="With precision: how long the first repeats of each cell last, and with them the shortest, with as "
        "much less warm-up; default: a 16th of duration, of cells that write an 8th, behind a fifth of warmup.",
    )
    experiment: list[ExperimentTable] = Field(min_length=1, description="What is measured.")

    @model_validator(mode="after")
    def _has_an_aim(self) -> "CampaignTable":
        for key, value in (("budget", self.budget), ("first_duration", self.first_duration)):
            if value is not None and self.precision is None:
                raise PydanticCustomError(
                    "agree",
                    f"{key} is about how well figures are to be known, and no precision is asked for",
                    {"key": key, "hint": f'add precision = "2%", or leave {key} away'},
                )
        return self

    @model_validator(mode="after")
    def _agrees(self) -> "CampaignTable":
        if self.verify and all(read == 100 for table in self.experiment for read in table.read):  # noqa: PLR2004 - percent
            raise PydanticCustomError(
                "agree",
                "verify is about writes, and no experiment has any",
                {"key": "verify", "hint": "add an experiment that writes (read below 100), or leave verify away"},
            )
        return self


SCHEMA_TITLE: Final = "iosonde campaign"


def campaign_schema() -> dict[str, Any]:
    """The JSON Schema of a campaign file, as docs/campaign.schema.json holds it."""
    schema = CampaignTable.model_json_schema()
    schema["title"] = SCHEMA_TITLE
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
