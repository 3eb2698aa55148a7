"""Small random campaigns on simulated drives, with every kind of drive, experiment and workload."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from iosonde.plans.campaign_file import RATE_KINDS, Kind
from iosonde.plans.models import load_model, model_names, model_text
from iosonde.records.workload import ALL_READS
from iosonde.units import MILLISECOND_NS, SECOND_NS
from iosonde.workload_keys.bounds import DURATION_NS_MIN

SPAN: Final = "16MiB"
SPAN_BYTES: Final = 16 << 20
FAST_NS: Final = 100
"""A queue with a shorter service time has one server. With more, a cell would have too many operations for a test."""

QUICK_NS_MIN: Final = 100_000
"""A faster drive would complete too many operations in the cells of a quick run, which take half a second."""

SIZES: Final = ("512B", "1KiB", "4KiB", "16KiB", "128KiB", "1MiB", "4KiB:70,64KiB:30")
PATTERNS: Final = (
    "random",
    "sequential",
    "permutation",
    "zipf:1.1",
    "pareto:0.2",
    "hot:80/20",
    "strided:4MiB",
    "runs:10",
)
_SHIPPED_SSD: Final = tuple(name for name in model_names() if load_model(name).kind == "ssd")


@dataclass(frozen=True)
class Drawn:
    """A campaign file, a model file for each target, and the seed of the run."""

    campaign: str
    models: tuple[str, ...]
    seed: int
    quick: bool

    def __repr__(self) -> str:
        models = "\n".join(text for text in self.models)
        return f"seed {self.seed}, quick {self.quick}\n--- campaign\n{self.campaign}\n--- models\n{models}"


def small_campaigns() -> st.SearchStrategy[Drawn]:
    """Campaigns of a few cells. A cell completes many operations, few or none."""
    return st.composite(_campaign)()


def _campaign(draw: st.DrawFn) -> Drawn:
    drive = draw(st.sampled_from(DRIVES))
    step_ns = draw(st.sampled_from(drive.steps_ns))
    targets = draw(st.sampled_from([1, 1, 1, 2]))
    models = tuple(draw(st.composite(drive.model)(step_ns)) for _ in range(targets))
    lasts_ns = max(step_ns * draw(st.sampled_from([1, 3, 30, 300])), DURATION_NS_MIN)
    tables = draw(st.lists(st.composite(_experiment)(lasts_ns, targets), min_size=1, max_size=3))
    head: dict[str, Any] = {
        "name": "drawn",
        "repeats": draw(st.integers(1, 4)),
        "warmup": f"{draw(st.sampled_from([0, lasts_ns // 4]))}ns",
        "duration": f"{lasts_ns}ns",
        "order": draw(st.sampled_from(["random", "listed"])),
    }
    if drive.keeps_data and draw(_seldom()) and any(_writes(table) for table in tables):
        head["verify"] = True
    if draw(_seldom()):
        head |= {"precision": "20%", "budget": f"{100 * lasts_ns}ns"}
    return Drawn(
        campaign="\n".join([toml(head), *(f"[[experiment]]\n{toml(table)}" for table in tables)]),
        models=models,
        seed=draw(st.integers(0, 1000)),
        quick=step_ns >= QUICK_NS_MIN and draw(_seldom()),
    )


def _seldom() -> st.SearchStrategy[bool]:
    return st.sampled_from([False, False, False, False, True])


def _writes(table: Mapping[str, Any]) -> bool:
    return any(read < 100 for read in table["read"])


def _experiment(draw: st.DrawFn, lasts_ns: int, targets: int) -> dict[str, Any]:
    kind = draw(st.sampled_from(list(Kind)))
    table: dict[str, Any] = {
        "name": f"an experiment of the kind {kind}",
        "kind": str(kind),
        "pattern": draw(_some(PATTERNS, 2 if kind in {Kind.BLOCK_SIZE, Kind.MATRIX} else 1)),
        "read": draw(st.lists(_shares(), min_size=1, max_size=4 if kind is Kind.MIX else 2, unique=True)),
        "block_size": draw(_some(SIZES, 4 if kind is Kind.BLOCK_SIZE else 1)),
        "queue_depth": draw(_some((1, 2, 3, 8, 32), 4 if kind is Kind.QUEUE_DEPTH else 2)),
        "jobs": draw(st.sampled_from([1, 1, 1, 2])),
    }
    if any(":" in size for size in table["block_size"]):
        table["pattern"] = [each for each in table["pattern"] if not each.startswith(("p", "s"))] or ["random"]
    if draw(_seldom()):
        table["trim"] = draw(st.sampled_from([0, (100 - max(table["read"])) // 2, 100 - max(table["read"])]))
    if kind in RATE_KINDS and draw(st.booleans()):
        table["rate"] = draw(st.lists(_rates(lasts_ns), min_size=1, max_size=2, unique=True))
        table["arrivals"] = draw(st.sampled_from(["poisson", "constant"]))
    elif draw(_seldom()):
        table |= {
            "burst": draw(st.sampled_from([1, 8])),
            "think_time": f"{draw(st.sampled_from([0, lasts_ns // 7]))}ns",
        }
    if max(table["read"]) + table.get("trim", 0) < ALL_READS:
        table |= _of_writes(draw)
    if draw(_seldom()):
        table |= {"span": draw(st.sampled_from(["8MiB", "12MiB"])), "offset": draw(st.sampled_from(["0B", "1MiB"]))}
    if targets > 1 and draw(st.booleans()):
        table["targets"] = draw(st.sampled_from([[1], [1, 2]]))
    if draw(_seldom()):
        table["amount"] = draw(st.sampled_from(["1MiB", "3MiB"]))
    return table


def _of_writes(draw: st.DrawFn) -> dict[str, Any]:
    """Random values of the keys that apply only to writes."""
    table: dict[str, Any] = {"sync": draw(st.sampled_from(["none", "fdatasync", "dsync"]))}
    if table["sync"] == "fdatasync":
        table["flush_every"] = draw(st.sampled_from([1, 1, 5]))
    if draw(st.booleans()):
        table |= {"compressible": draw(st.sampled_from([0, 50])), "duplicates": draw(st.sampled_from([0, 30]))}
    else:
        table["data"] = draw(st.sampled_from(["random", "compressible", "zeros"]))
    return table


def _some(values: Sequence[Any], most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=most, unique=True)


def _shares() -> st.SearchStrategy[int]:
    return st.sampled_from([100, 0, 70, 50]) | st.integers(0, 100)


def _rates(lasts_ns: int) -> st.SearchStrategy[int]:
    """Arrival rates from 1 per second to some thousand operations per cell."""
    most = max(3_000 * 10**9 // lasts_ns, 10)
    return st.sampled_from([1, 2, 5]) | st.integers(1, min(most, 10**8))


def _queueing(draw: st.DrawFn, step_ns: int) -> str:
    table = {
        "kind": "queueing",
        "title": "a drawn queue",
        "about": "Servers and a line.",
        "size_bytes": SPAN_BYTES,
        "servers": 1 if step_ns < FAST_NS else draw(st.sampled_from([1, 2, 16])),
        "service": draw(st.sampled_from(["constant", "exponential"])),
        "service_ns": step_ns,
    }
    return _with_faults(draw, toml(table), step_ns)


def _disk(draw: st.DrawFn, step_ns: int) -> str:
    head, _, _ = model_text("disk-7200").partition("[sources]")
    rpm = draw(st.sampled_from([5_400, 15_000]))
    return _with_faults(draw, head.replace("rotation_rpm = 7_200", f"rotation_rpm = {rpm}"), step_ns)


def _ssd(draw: st.DrawFn, step_ns: int) -> str:
    head, _, _ = model_text(draw(st.sampled_from(_SHIPPED_SSD))).partition("[sources]")
    return _with_faults(draw, head, step_ns)


def _with_faults(draw: st.DrawFn, text: str, step_ns: int) -> str:
    faults = draw(st.lists(st.composite(_fault)(step_ns), max_size=2))
    return "\n".join([text, *(f"[[faults]]\n{toml(fault)}" for fault in faults)])


def _fault(draw: st.DrawFn, step_ns: int) -> dict[str, Any]:
    from_ns = draw(st.sampled_from([0, 10, 1_000, 100_000])) * step_ns
    kind = draw(st.sampled_from(["latency_spikes", "media_error", "throttling", "stall", "disappearance"]))
    until_ns = from_ns + step_ns * draw(st.sampled_from([1, 100, 10_000]))
    others: dict[str, dict[str, Any]] = {
        "latency_spikes": {"period_ns": 20 * step_ns, "length_ns": step_ns, "extra_ns": 5 * step_ns},
        "media_error": {
            "offset_bytes": draw(st.sampled_from([0, SPAN_BYTES // 2])),
            "length_bytes": draw(st.sampled_from([4096, SPAN_BYTES // 2])),
            "operations": draw(st.sampled_from(["reads", "writes", "both"])),
        },
        "throttling": {"until_ns": until_ns, "stretch_permille": draw(st.sampled_from([1000, 3000, 100_000]))},
        "stall": {"until_ns": until_ns},
        "disappearance": {"in_flight": "fail"},
    }
    return {"kind": kind, "from_ns": from_ns, **others[kind]}


@dataclass(frozen=True)
class _Drive:
    """A kind of drive: how its model is drawn, and the approximate durations of an operation."""

    kind: str
    model: Callable[..., str]
    steps_ns: tuple[int, ...]
    keeps_data: bool = False


DRIVES: Final = (
    _Drive("queueing", _queueing, (1, 30, 1_000, 50_000, MILLISECOND_NS, 300 * MILLISECOND_NS, 3 * SECOND_NS)),
    _Drive("disk", _disk, (MILLISECOND_NS, 10 * MILLISECOND_NS), keeps_data=True),
    _Drive("ssd", _ssd, (50_000, MILLISECOND_NS), keeps_data=True),
)


def toml(table: Mapping[str, Any]) -> str:
    """The lines of a TOML table with these values."""
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
