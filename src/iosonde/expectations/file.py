"""The format of a file of expected values: which cells, which metric, and its bound."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from iosonde.errors import UsageError
from iosonde.expectations.conditions import ConditionsTable
from iosonde.plans.file_values import Depth, Jobs, Percent, Rate, Sizes
from iosonde.records import Operation
from iosonde.records.pattern import Pattern
from iosonde.units import parse_bytes, parse_duration, parse_rate
from iosonde.vocabulary import Quantity, Sync

_NUMBER: Final = re.compile(r"\s*([0-9]+\.[0-9]+)\s*([A-Za-z]+)\s*")


def _parse_bandwidth(text: str, what: str) -> int:
    """Bytes per second. A printed value such as 107.8 MiB/s is rounded to bytes."""
    size = text.strip().removesuffix("/s")
    decimal = _NUMBER.fullmatch(size)
    if decimal is None:
        return parse_bytes(size, what)
    return round(Decimal(decimal[1]) * parse_bytes(f"1{decimal[2]}", what))


_PARSERS: Final[dict[Quantity, tuple[Callable[[str, str], int], str]]] = {
    Quantity.IOPS: (parse_rate, '"90k"'),
    Quantity.BYTES_PER_S: (_parse_bandwidth, '"500 MB/s"'),
}
_TIME: Final = (parse_duration, '"0.1 ms"')


def _is_finite(value: float | str) -> bool:
    return isinstance(value, str) or isfinite(value)


def _bound(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """A number or text. The metric determines the unit."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or not _is_finite(value):
        raise PydanticCustomError("bound", "is not a finite number or text with a unit", {"hint": 'such as "0.1 ms"'})
    return value


Bound = Annotated[
    float | str,
    BeforeValidator(_bound),
    WithJsonSchema(
        {
            "type": ["number", "string"],
            "examples": ["0.1 ms", "90k", "500 MB/s", 100000],
            "description": "Number in the base unit of the metric, or string with a unit.",
        }
    ),
]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Basis(StrEnum):
    """What an expected value is: a requirement, a limit or typical value that a vendor states, or a measured value."""

    REQUIREMENT = "requirement"
    SPECIFIED = "specified"
    TYPICAL = "typical"
    MEASURED = "measured"


class Confidence(StrEnum):
    """How well the source supports an expected value."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Choose(StrEnum):
    """Which of several matching cells are checked: all, or the one with the best value of the metric."""

    ALL = "all"
    BEST = "best"


class _Origin(_Table):
    """Where expected values come from. In an ``[[expect]]``, the default is that of the file."""

    basis: Basis | None = Field(
        default=None,
        description="What the expected value is: a requirement, a limit that a vendor specifies, a typical value, or a "
        "value that others measured. Default: requirement.",
    )
    source: str = Field(default="", description="Document with its date or version, and the place in it.")
    confidence: Confidence | None = Field(
        default=None, description="How well the source supports the value. Default: not stated."
    )
    conditions: ConditionsTable | None = Field(
        default=None, description="Conditions of the source. Verdicts name those that the run does not share."
    )


class ExpectationTable(_Origin):
    """One ``[[expect]]``. It selects cells by name with ``cell``, or by workload with keys that must all match."""

    name: str = Field(default="", description="Title. Default: the metric and its bound.")
    cell: str | None = Field(default=None, description="Name of a cell in the run.", min_length=1)
    pattern: Pattern | None = Field(default=None, description="Access pattern. Default: any.")
    read: Percent | None = Field(default=None, description="Percentage of reads. Default: any.")
    block_size: Sizes | None = Field(default=None, description="Block size. Default: any.")
    queue_depth: Depth | None = Field(default=None, description="Requested queue depth per job. Default: any.")
    jobs: Jobs | None = Field(default=None, description='Number of jobs. Default: 1; with choose = "best": any.')
    sync: Sync = Field(default=Sync.NONE, description="Sync method for writes: none, fdatasync or dsync (O_DSYNC).")
    rate: Rate | None = Field(default=None, description="Arrivals per second. Default: no rate (closed loop).")
    operation: Operation | None = Field(default=None, description="Operation. Default: the main operation of the cell.")
    choose: Choose = Field(
        default=Choose.ALL,
        description="If several cells match: check all of them, or only the best value of the metric.",
    )
    metric: Quantity = Field(description="Column name of the metric.")
    at_most: Bound | None = Field(default=None, description="Maximum value that passes.")
    at_least: Bound | None = Field(default=None, description="Minimum value that passes.")

    @property
    def is_by_workload(self) -> bool:
        """Whether it selects cells by workload."""
        return self.cell is None

    @property
    def bound(self) -> float:
        """The bound in the metric's base unit: nanoseconds, bytes per second or operations per second."""
        given = self.at_least if self.at_most is None else self.at_most
        assert given is not None
        if not isinstance(given, str):
            return float(given)
        parse, _ = _PARSERS.get(self.metric, _TIME)
        return float(parse(given, ""))

    @model_validator(mode="after")
    def _agrees(self) -> "ExpectationTable":
        keys = WORKLOAD_KEYS & self.model_fields_set
        if self.cell is not None and keys:
            raise _disagreement(f"cell and {min(keys)} cannot be combined", min(keys), "omit one of them")
        if self.cell is None and not keys:
            raise _disagreement(
                "selects no cells",
                "metric",
                'add cell = "random-read-4KiB-qd1", or select by pattern, read, block_size and queue_depth',
            )
        if (self.at_most is None) == (self.at_least is None):
            what = "needs at_most or at_least" if self.at_most is None else "sets both at_most and at_least"
            _, example = _PARSERS.get(self.metric, _TIME)
            raise _disagreement(what, "metric", f"set one of them, such as at_most = {example}")
        key = "at_least" if self.at_most is None else "at_most"
        try:
            if self.bound > 0:
                return self
        except UsageError as error:
            what = error.message.partition("' ")[2]
            raise _disagreement(f'{key} = "{self.at_most or self.at_least}" {what}', key, error.hint) from error
        raise _disagreement(f"{key} must be greater than 0", key, "use a positive value in the unit of the metric")


def _disagreement(what: str, key: str, hint: str) -> PydanticCustomError:
    return PydanticCustomError("agree", "{what}", {"what": what, "key": key, "hint": hint})


WORKLOAD_KEYS: Final = frozenset({"pattern", "read", "block_size", "queue_depth", "jobs", "sync", "rate"})


class ExpectationsTable(_Origin):
    """A file of expected values."""

    name: str = Field(description='Name of this set of expected values, such as "data sheet".', min_length=1)
    about: str = Field(default="", description="What the expected values are for.")
    campaign: str = Field(
        default="",
        description="Campaign that measures the cells: a profile, or the path of a campaign file relative to this "
        "file. Used by `iosonde run --for`.",
    )
    expect: list[ExpectationTable] = Field(min_length=1, description="List of expected values.")

    def origin(self, expectation: ExpectationTable) -> "Origin":
        """The origin of an expected value: what its own table says, else what the file says."""
        own, file = expectation, self
        conditions = ConditionsTable.merged(file.conditions, own.conditions)
        return Origin(
            basis=own.basis or file.basis or Basis.REQUIREMENT,
            source=", ".join(filter(None, [file.source, own.source])),
            confidence=own.confidence or file.confidence,
            conditions=conditions,
        )


@dataclass(frozen=True)
class Origin:
    """Where an expected value comes from: its basis, its source, how well that supports it, and its conditions."""

    basis: Basis = Basis.REQUIREMENT
    source: str = ""
    confidence: Confidence | None = None
    conditions: ConditionsTable = field(default_factory=ConditionsTable)


NO_ORIGIN: Final = Origin()


SCHEMA_TITLE: Final = "iosonde expectations"


def expectations_schema() -> dict[str, Any]:
    """The JSON Schema of a file of expected values, as published in docs/expectations.schema.json."""
    schema = ExpectationsTable.model_json_schema()
    schema["title"] = SCHEMA_TITLE
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
