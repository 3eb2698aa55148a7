"""The content of a campaign file, with checked names, ranges and units."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from iosonde.plans.file_values import (
    Block,
    Capacities,
    Duration,
    OverProvisioning,
    Precision,
    Repeats,
    Several,
    Span,
    Warmup,
    experiment_fields,
)
from iosonde.records.workload import ALL_READS
from iosonde.units import SECOND_NS, exact_duration
from iosonde.vocabulary import Data, OnError, Precondition, PurgeMethod, Sync
from iosonde.workload_keys import Key
from iosonde.workload_keys.keys import (
    AMOUNT,
    ARRIVALS,
    BURST,
    DURATION,
    OFF_TIME,
    ON_TIME,
    RATE,
    READ,
    SYNC,
    THINK_TIME,
    WARMUP,
)

_Value = TypeVar("_Value")


class Kind(StrEnum):
    """The report section for an experiment's cells; ``matrix`` is one table of all cells.

    The cells of ``sustained`` are long transfers, whose changes over time are the result.
    """

    BASELINE = "baseline"
    BLOCK_SIZE = "block_size"
    MIX = "mix"
    QUEUE_DEPTH = "queue_depth"
    TAIL = "tail"
    SUSTAINED = "sustained"
    MATRIX = "matrix"


class Order(StrEnum):
    """The order of cells within a repeat: a new random order for each repeat, or the order of the file."""

    RANDOM = "random"
    LISTED = "listed"


RATE_KINDS: Final = frozenset({Kind.MATRIX, Kind.TAIL})
"""Sections that accept cells with a rate. The others compare closed loops: by queue depth, or without a queue."""


def _idle_in_text(schema: dict[str, Any]) -> None:
    schema["default"] = "0s"


def _in_text(schema: dict[str, Any]) -> None:
    """Shows a default as written in a campaign file, instead of in nanoseconds."""
    schema["default"] = exact_duration(schema["default"]).replace(" ", "")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def is_printable(name: str) -> str:
    """A name without control characters and without characters that change the direction of text."""
    if not name.isprintable():
        raise PydanticCustomError("quantity", "contains a control character")
    return name


class _Named(_Table):
    name: Annotated[str, AfterValidator(is_printable)] = Field(description="Name of the experiment.", min_length=1)
    kind: Kind = Field(default=Kind.MATRIX, description="Report section for the cells of the experiment.")


if TYPE_CHECKING:
    _Asked = _Named
else:
    _Asked = create_model("_Asked", __base__=_Named, **experiment_fields())


class ExperimentTable(_Asked):
    """One ``[[experiment]]``: each key takes a value or a list, and each combination of values is a cell."""

    repeats: Repeats | None = Field(
        default=None, description="Number of times each cell is measured. Default: the campaign setting."
    )

    idle: Several[Warmup] = Field(
        default=[0],
        description="With kind = sustained: time for which the targets are left idle before each stretch. Each value "
        "is a stretch, in the order of the list.",
        json_schema_extra=_idle_in_text,
    )

    def values(self, key: Key[_Value]) -> list[_Value]:
        """The values of a key; empty if the key is not set and has no default."""
        found = getattr(self, key.name)
        return [] if found is None else found if isinstance(found, list) else [found]

    @model_validator(mode="after")
    def _agrees(self) -> "ExperimentTable":
        if self.values(AMOUNT) and (self.values(DURATION) or self.values(WARMUP)):
            raise disagreement("amount", "amount cannot be combined with duration or warmup", "omit one")
        if self.values(ARRIVALS) and not self.values(RATE):
            raise disagreement(
                "arrivals",
                "arrivals needs a rate",
                'add rate = "20k", or omit arrivals',
            )
        if bool(self.values(BURST)) != bool(self.values(THINK_TIME)):
            given, other = ("burst", 'think_time = "10ms"') if self.values(BURST) else ("think_time", "burst = 64")
            raise disagreement(given, f"{given} needs {other.split()[0]}", f"add {other}")
        if bool(self.values(ON_TIME)) != bool(self.values(OFF_TIME)):
            given, other = ("on_time", 'off_time = "25s"') if self.values(ON_TIME) else ("off_time", 'on_time = "5s"')
            raise disagreement(given, f"{given} needs {other.split()[0]}", f"add {other}")
        if self.values(RATE) and self.kind not in RATE_KINDS:
            raise disagreement(
                "rate",
                f"rate cannot be combined with kind = {self.kind}, which is always a closed loop",
                f"omit kind, or set it to {' or '.join(sorted(RATE_KINDS))}",
            )
        is_synced = any(sync is not Sync.NONE for sync in self.values(SYNC))
        if is_synced and all(read == ALL_READS for read in self.values(READ)):
            raise disagreement(
                "sync", "sync needs writes, but read = 100 is read-only", "move the reads to a separate experiment"
            )
        return self

    @model_validator(mode="after")
    def _is_sustained(self) -> "ExperimentTable":
        if self.kind is not Kind.SUSTAINED:
            if self.idle != [0]:
                raise disagreement("idle", "idle needs kind = sustained", 'add kind = "sustained", or omit idle')
            return self
        if not self.values(AMOUNT) and not self.values(DURATION):
            raise disagreement("kind", "sustained needs a duration or an amount", 'add duration = "30m"')
        if self.values(WARMUP):
            raise disagreement(
                "warmup", "sustained has no warm-up, because the start of a transfer is part of it", "omit warmup"
            )
        if self.repeats is not None:
            raise disagreement(
                "repeats", "sustained measures each stretch once", "omit repeats; for more stretches, use idle"
            )
        return self


def disagreement(key: str, what: str, hint: str) -> PydanticCustomError:
    """The error for keys that cannot be combined. It is reported at the line of ``key``."""
    return PydanticCustomError("agree", "{what}", {"what": what, "key": key, "hint": hint})


DEFAULT_OVER_PROVISIONING_PERMILLE: Final = 150
"""A typical drive of 960 GB has 1 TiB of flash. Too high an assumption costs writes, but too low a one leaves flash
unwritten (verify/results/fast-preconditioning.md)."""

PRECONDITION_FORMS: Final = {
    "precondition_capacities": (Precondition.INDEPENDENT, Precondition.RANDOM),
    "precondition_block_size": (Precondition.RANDOM, Precondition.FAST_RANDOM),
    "over_provisioning": (Precondition.FAST_RANDOM,),
    "slc_cache": (Precondition.FAST_RANDOM,),
}
"""The forms of preconditioning to which a key applies."""

PURPOSE: Final = "purpose"
ABOUT_MAX: Final = 64
ABOUT_NAME_MAX: Final = 64
ABOUT_VALUE_MAX: Final = 1000


def _pairs(value: Any) -> Any:  # noqa: ANN401 - anything that a TOML file can hold
    """A text as the purpose, and a table as pairs of a name and a value."""
    if isinstance(value, str):
        return ((PURPOSE, value),) if value else ()
    if not isinstance(value, dict):
        raise PydanticCustomError("about", "must be text, or a table of texts")
    if len(value) > ABOUT_MAX:
        raise PydanticCustomError("about", f"has {len(value)} keys, more than {ABOUT_MAX}")
    for name, text in value.items():
        if not isinstance(text, str):
            raise PydanticCustomError("about", "{name} must be text in quotes", {"name": name})
        if not name or len(name) > ABOUT_NAME_MAX or len(text) > ABOUT_VALUE_MAX:
            raise PydanticCustomError(
                "about", f"a name has 1 to {ABOUT_NAME_MAX} characters, and a value at most {ABOUT_VALUE_MAX}"
            )
        if not (name.isprintable() and text.isprintable()):
            raise PydanticCustomError("about", "{name} contains a control character", {"name": name})
    return tuple(value.items())


About = Annotated[
    tuple[tuple[str, str], ...],
    BeforeValidator(_pairs),
    WithJsonSchema({"type": ["string", "object"], "additionalProperties": {"type": "string"}}),
]
"""A text, or a table of texts: the names and their values."""


class CampaignTable(_Table):
    """A whole campaign file."""

    name: str = Field(description="Name of the campaign.", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    about: About = Field(
        default=(),
        description="Purpose of the campaign, or a table with facts that iosonde cannot detect, such as the NAND type "
        "or the tester. The report shows them.",
        json_schema_extra={"default": ""},
    )
    repeats: Repeats = Field(
        default=3, description="Number of times each cell is measured, each time with a different seed."
    )
    order: Order = Field(default=Order.RANDOM, description="Order of the cells within a repeat.")
    fill: Data = Field(default=Data.RANDOM, description="Data to write during preconditioning.")
    purge: PurgeMethod | None = Field(
        default=None,
        description="Purge the block devices before the first cell, as `iosonde prepare --purge` does, and end the run "
        "unless reading them back verifies it. Simulated drives are fresh out of the box anyway. Default: no purge.",
    )
    precondition: Precondition | None = Field(
        default=None,
        description="Preconditioning writes: none (with purge: measure fresh out of the box), "
        "once (every block, in order), independent (in order, several times), "
        "random (every block in order, then random writes), or fast-random (modelled writes that bring an empty drive "
        "to random-write steady state). If set, existing targets are preconditioned before reads as well. "
        "Default: once.",
    )
    precondition_capacities: Capacities | None = Field(
        default=None,
        description="With precondition = independent or random: amount of sequential or random writes, in multiples of "
        "the test region. Default: 2.",
    )
    precondition_block_size: Block | None = Field(
        default=None,
        description="With precondition = random or fast-random: block size of the random writes. Default: 4KiB.",
    )
    over_provisioning: OverProvisioning | None = Field(
        default=None,
        description="With precondition = fast-random: assumed flash of the drive beyond the test region, relative to "
        "the test region. Default: 15%.",
    )
    slc_cache: Span | None = Field(
        default=None,
        description="With precondition = fast-random: size of an SLC cache that the drive empties only while idle. "
        "It is filled first. Default: none.",
    )
    verify: bool = Field(
        default=False,
        strict=True,
        description="After each cell that writes, read the targets back and compare the data with what was written.",
    )
    power_command: Annotated[str, AfterValidator(is_printable)] | None = Field(
        default=None,
        description="Shell command that prints the measured power in watts, one number per line, as --power-command "
        "does. Default: none.",
        min_length=1,
        max_length=1000,
    )
    on_error: OnError = Field(
        default=OnError.CONTINUE,
        description="After an operation failed: continue the trial, which then ends after more than 1,000 failed "
        "operations, or stop it.",
    )
    warmup: Warmup = Field(
        default=SECOND_NS,
        description="Warm-up before the measurement. It is recorded but excluded from the results.",
        json_schema_extra=_in_text,
    )
    duration: Duration = Field(default=5 * SECOND_NS, description="Measurement time.", json_schema_extra=_in_text)
    precision: Precision | None = Field(
        default=None,
        description="Target precision: each cell is repeated until the half-widths of the 95 % confidence intervals of "
        "throughput and mean latency are at most this percentage (p99: twice this percentage). The duration is the "
        "maximum length of a repeat. Default: fixed repeats and durations.",
    )
    budget: Duration | None = Field(
        default=None, description="With precision: total time limit for all cells. Default: 5 minutes."
    )
    first_duration: Duration | None = Field(
        default=None,
        description="With precision: duration of the first repeats of each cell and minimum duration of all "
        "repeats. If it is set, the warm-up of these repeats is shortened in proportion. Default: 1/16 of duration "
        "(1/8 for cells that write), with 1/5 of warmup.",
    )
    experiment: list[ExperimentTable] = Field(min_length=1, description="The experiments.")

    @model_validator(mode="after")
    def _has_an_aim(self) -> "CampaignTable":
        for key, value in (("budget", self.budget), ("first_duration", self.first_duration)):
            if value is not None and self.precision is None:
                raise disagreement(
                    key,
                    f"{key} needs a precision",
                    f'add precision = "2%", or omit {key}',
                )
        return self

    @model_validator(mode="after")
    def _preconditions(self) -> "CampaignTable":
        for key, forms in PRECONDITION_FORMS.items():
            if getattr(self, key) is not None and self.precondition not in forms:
                raise disagreement(
                    key,
                    f"{key} needs precondition = {' or '.join(forms)}",
                    f'add precondition = "{forms[-1]}", or omit {key}',
                )
        return self

    @model_validator(mode="after")
    def _measures_a_known_state(self) -> "CampaignTable":
        if self.precondition is Precondition.NONE and self.purge is None:
            raise disagreement(
                "precondition",
                "precondition = none needs a purge: the state of the target would be unknown",
                'add purge = "format", or use precondition = "once"',
            )
        return self

    @model_validator(mode="after")
    def _ends_by_itself(self) -> "CampaignTable":
        if self.precision is not None and any(table.kind is Kind.SUSTAINED for table in self.experiment):
            raise disagreement(
                "precision",
                "precision cannot be combined with kind = sustained, whose transfers are measured once",
                "put them in a separate campaign file",
            )
        return self

    @model_validator(mode="after")
    def _agrees(self) -> "CampaignTable":
        if self.verify and all(read == 100 for table in self.experiment for read in table.values(READ)):  # noqa: PLR2004 - percent
            raise disagreement(
                "verify",
                "verify needs writes, but no experiment writes",
                "add an experiment that writes (read below 100), or omit verify",
            )
        return self


SCHEMA_TITLE: Final = "iosonde campaign"


def campaign_schema() -> dict[str, Any]:
    """The JSON Schema of a campaign file (docs/campaign.schema.json)."""
    schema = CampaignTable.model_json_schema()
    schema["title"] = SCHEMA_TITLE
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
