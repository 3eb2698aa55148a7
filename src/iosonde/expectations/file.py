"""The format of a file of expected values: which cells, which metric, and its bound."""

from collections.abc import Callable
from math import isfinite
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from iosonde.errors import UsageError
from iosonde.plans.file_values import Depth, Jobs, Percent, Rate, Sizes
from iosonde.records import Operation
from iosonde.records.pattern import Pattern
from iosonde.units import parse_bytes, parse_duration, parse_rate
from iosonde.vocabulary import Quantity, Sync

_PARSERS: Final[dict[Quantity, tuple[Callable[[str, str], int], str]]] = {
    Quantity.IOPS: (parse_rate, '"90k"'),
    Quantity.BYTES_PER_S: (lambda text, what: parse_bytes(text.strip().removesuffix("/s"), what), '"500 MB/s"'),
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


class ExpectationTable(_Table):
    """One ``[[expect]]``. It selects cells by name with ``cell``, or by workload with keys that must all match."""

    name: str = Field(default="", description="Title. Default: the metric and its bound.")
    cell: str | None = Field(default=None, description="Name of a cell in the run.", min_length=1)
    pattern: Pattern | None = Field(default=None, description="Access pattern. Default: any.")
    read: Percent | None = Field(default=None, description="Percentage of reads. Default: any.")
    block_size: Sizes | None = Field(default=None, description="Block size. Default: any.")
    queue_depth: Depth | None = Field(default=None, description="Requested queue depth per job. Default: any.")
    jobs: Jobs = Field(default=1, description="Number of jobs.")
    sync: Sync = Field(default=Sync.NONE, description="Sync method for writes: none, fdatasync or dsync (O_DSYNC).")
    rate: Rate | None = Field(default=None, description="Arrivals per second. Default: no rate (closed loop).")
    operation: Operation | None = Field(default=None, description="Operation. Default: the main operation of the cell.")
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


class ExpectationsTable(_Table):
    """A file of expected values."""

    name: str = Field(description='Name of this set of expected values, such as "data sheet".', min_length=1)
    about: str = Field(default="", description="Source of the expected values.")
    expect: list[ExpectationTable] = Field(min_length=1, description="List of expected values.")


SCHEMA_TITLE: Final = "iosonde expectations"


def expectations_schema() -> dict[str, Any]:
    """The JSON Schema of a file of expected values, as published in docs/expectations.schema.json."""
    schema = ExpectationsTable.model_json_schema()
    schema["title"] = SCHEMA_TITLE
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
