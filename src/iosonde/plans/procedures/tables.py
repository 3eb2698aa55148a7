"""The ``[[procedure]]`` tables of a campaign file: standard procedures, and a user's own of the same kind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from iosonde.plans.campaign_file import DEFAULT_OVER_PROVISIONING_PERMILLE, disagreement, is_printable
from iosonde.plans.file_values import (
    Depth,
    Duration,
    OverProvisioning,
    Percentage,
    Several,
    Warmup,
    experiment_fields,
)
from iosonde.records import Pattern
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Mode, PhaseRole, ProcedureKind, Quantity, SampleOf
from iosonde.workload_keys.keys import AMOUNT, DURATION, PATTERN, READ

Name = Annotated[str, AfterValidator(is_printable), Field(min_length=1, max_length=64)]
Text = Annotated[str, AfterValidator(is_printable), Field(max_length=1000)]
ENDS: Final = (AMOUNT.name, "capacities", "fast_random", DURATION.name)
"""The keys by which the cells of a table end."""
ROUNDS_MAX: Final = 1000
GAP_NS: Final = 10 * SECOND_NS
"""Starting a trial takes milliseconds. A drive that idles for seconds collects garbage."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


if TYPE_CHECKING:
    _Cells = _Table
else:
    _Cells = create_model("_Cells", __base__=_Table, **experiment_fields())


class CellsTable(_Cells):
    """One ``[[procedure.phase.cells]]``: each combination of values is a cell, the last key varying fastest."""

    queue_depth: Several[Depth] | None = Field(
        default=None,
        description="Operations that each job keeps in flight. At operating points: that of the point. Default: 1.",
    )
    pattern: Several[Pattern] | None = Field(default=None, description=PATTERN.description)
    capacities: int | None = Field(
        default=None,
        strict=True,
        ge=1,
        le=100,
        description="Amount of data to write, in multiples of the target's capacity. With zones, to each of them.",
    )
    per_job: bool = Field(
        default=False,
        strict=True,
        description="Each job writes capacities, as with TKperf, instead of all jobs together.",
    )
    fast_random: bool = Field(
        default=False,
        strict=True,
        description="Whatever the pattern: modelled writes, after which a purged drive with the over_provisioning of "
        "the procedure is in random-write steady state.",
    )
    limit: Duration | None = Field(
        default=None, description="Without duration: the time after which the cell ends in any case."
    )

    zones: int | None = Field(
        default=None,
        strict=True,
        ge=1,
        le=4096,
        description="Number of zones of equal size into which the target is divided; each is measured in turn.",
    )
    idle: Warmup = Field(default=0, description="Time for which the targets are left idle before the cell.")
    warmup: Warmup = Field(default=0, description="Time before each measurement, with the same operations.")

    def values(self, name: str) -> list[Any]:
        """The values of a key; empty if the key is not set and has no default."""
        found = getattr(self, name)
        return [] if found is None else found if isinstance(found, list) else [found]

    @model_validator(mode="after")
    def _ends(self) -> Self:
        given = [key for key in ENDS if any(self.values(key))]
        if len(given) != 1:
            raise disagreement(
                given[-1] if given else "pattern",
                f"cells of a phase end by {' and '.join(given)}" if given else "cells of a phase have no end",
                "specify one of duration, amount, capacities and fast_random",
            )
        if not self.fast_random and self.pattern is None:
            raise disagreement(PATTERN.name, "cells of a phase have no pattern", 'add pattern = "random", for example')
        if self.fast_random and any(self.values(READ.name)):
            raise disagreement(READ.name, "fast_random has writes only", "set read to 0")
        if self.per_job and given != ["capacities"]:
            raise disagreement("per_job", "per_job needs capacities", "omit per_job, or specify capacities")
        if self.limit is not None and given == [DURATION.name]:
            raise disagreement("limit", "limit cannot be combined with duration", "omit one")
        if self.warmup and given != [DURATION.name]:
            raise disagreement("warmup", "warmup needs duration", "omit warmup, or specify duration")
        return self


TrackedQuantity = Literal[Quantity.IOPS, Quantity.BYTES_PER_S, Quantity.LATENCY_NS_MEAN]
"""The quantities that steady state is judged by, as in the SNIA PTS. A percentile of a round is too uncertain."""


class TrackTable(_Table):
    """A tracking variable: a quantity of the only cell of the phase whose keys have these values."""

    quantity: TrackedQuantity
    read: int = Field(strict=True, ge=0, le=100)
    block_size: str | None = None
    jobs: int | None = Field(default=None, strict=True)
    queue_depth: int | None = Field(default=None, strict=True)


class SteadyTable(_Table):
    """``[procedure.phase.steady]``: the criterion that ends a phase, after rounds or within one long trial."""

    track: list[TrackTable] = Field(
        default=[], description="Tracking variables over rounds. Without any, samples of one long trial are judged."
    )
    window: int = Field(default=5, strict=True, ge=2, le=100, description="Number of rounds, or samples, judged.")
    range: Percentage = Field(default=20.0, description="Largest less smallest value, at most, of their mean.")
    slope: Percentage = Field(default=10.0, description="Change of the best-fit line over the window, at most.")
    rounds_max: int = Field(default=25, strict=True, ge=1, le=ROUNDS_MAX, description="Rounds at most.")
    sample: Duration | None = Field(default=None, description="Length of a sample of a long trial.")
    block: Duration | None = Field(default=None, description="Time between judged samples.")
    sample_of: SampleOf = Field(default=SampleOf.LAST, description="Which sample of a block is judged.")
    quantity: TrackedQuantity = Field(default=Quantity.IOPS, description="The quantity of the samples.")

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if bool(self.track) == (self.sample is not None):
            raise disagreement("window", "steady needs either track, or sample and block", "specify one of the two")
        if (self.sample is None) != (self.block is None):
            raise disagreement("window", "sample and block must be specified together", "add the other one")
        if self.sample is not None and self.block is not None and self.block % self.sample:
            raise disagreement("block", "block is not a multiple of sample", "use a multiple")
        if self.track and self.window > self.rounds_max:
            what = f"a window of {self.window} rounds does not fit into at most {self.rounds_max} rounds"
            raise disagreement("window", what, "set rounds_max to at least the window")
        if any(self.track.count(each) > 1 for each in self.track):
            raise disagreement("track", "two tracking variables are the same", "name each once")
        return self


class PointsTable(_Table):
    """``[procedure.phase.points]``: measure the cells of this phase at operating points of an earlier phase."""

    phase: Name
    latency_max: Duration


class PhaseTable(_Table):
    """One ``[[procedure.phase]]``."""

    name: Name = Field(description="Name of the phase.")
    role: PhaseRole = Field(default=PhaseRole.ROUNDS, description="What the phase is for.")
    rounds: int = Field(default=1, strict=True, ge=1, le=ROUNDS_MAX, description="Number of rounds.")
    steady: SteadyTable | None = Field(default=None, description="The criterion that ends the phase.")
    points: PointsTable | None = Field(default=None, description="Operating points of an earlier phase.")
    cells: list[CellsTable] = Field(min_length=1, description="The cells of a round, table by table.")

    @model_validator(mode="after")
    def _has_one_end(self) -> Self:
        if self.steady is not None and "rounds" in self.model_fields_set:
            raise disagreement("rounds", "rounds and steady both end the phase", "specify one of the two")
        return self


def check_names(key: str, what: str, names: Sequence[str]) -> None:
    """Raises an error at the second of two tables ``key`` that have the same name."""
    for number, name in enumerate(names):
        if name in names[:number]:
            said = f"two {what} have the name {name}"
            context = {"what": said, "key": key, "number": number, "hint": "give each its own name"}
            raise PydanticCustomError("agree", "{what}", context)


class ProcedureTable(_Table):
    """One ``[[procedure]]``: a purge, then its phases without a gap."""

    name: Name = Field(description="Name of the procedure.")
    kind: ProcedureKind = Field(default=ProcedureKind.ROUNDS, description="Its chapter in the report.")
    title: Text = Field(default="", description="Its title in the report.")
    version: int = Field(default=1, strict=True, ge=1, description="Version of the procedure itself.")
    specification: Text = Field(default="", description="The text that it follows.")
    mode: Mode | None = Field(default=None, description="Mode of a SNIA procedure.")
    is_like: bool = Field(
        default=False, strict=True, description="A short form, which the report calls PTS-like, not the test itself."
    )
    purge: bool = Field(default=True, strict=True, description="Whether the targets are purged first.")
    active_range: Percentage = Field(default=100.0, description="Part of the capacity that it uses.")
    over_provisioning: OverProvisioning = Field(
        default=DEFAULT_OVER_PROVISIONING_PERMILLE,
        description="With fast_random: assumed flash of the drive beyond its capacity, relative to its capacity.",
    )
    repeats_offsets: bool = Field(
        default=False,
        strict=True,
        description="Use the same random offsets in each round, as TKperf does. They then cover little of the target.",
    )
    gap: Warmup = Field(default=GAP_NS, description="A longer gap between two trials begins a new window.")
    open_points: list[Text] = Field(default=[], description="What could not be confirmed in the specification.")
    phase: list[PhaseTable] = Field(min_length=1, description="The phases, in order.")

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        check_names("phase", "phases", [each.name for each in self.phase])
        return self

    @property
    def writes(self) -> bool:
        """Whether it changes the target."""
        tables = [table for phase in self.phase for table in phase.cells]
        return self.purge or any(read < 100 for table in tables for read in table.values(READ.name))  # noqa: PLR2004 - percent
