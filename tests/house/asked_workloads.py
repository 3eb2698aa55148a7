"""A workload that makes use of every key, and the same with another value of one of them."""

from dataclasses import dataclass
from typing import Any, Final

from iosonde.plans import CampaignTable, TargetInfo, campaign_plan, probe_plan, probe_request
from iosonde.records import CellPlan
from iosonde.workload_keys import EXPERIMENT_KEYS, PROBE_KEYS, Key, OneOf, PatternText, Quantity, Switch, Whole

SPAN_BYTES: Final = 64 << 30
# fio measures it, no key means nothing in it, and each is written alike as a flag, an argument and a campaign's key.
ASKED: Final[dict[str, Any]] = {
    "read": 0,
    "queue_depth": 1,
    "rate": "20k",
    "arrivals": "poisson",
    "sync": "fdatasync",
    "burst": 8,
    "think_time": "10ms",
}
# What a key needs beside it, which fio does not measure.
_DUTY: Final[dict[str, Any]] = {"on_time": "1s", "off_time": "2s"}
BESIDE: Final[dict[str, dict[str, Any]]] = {"on_time": _DUTY, "off_time": _DUTY}


@dataclass(frozen=True)
class Pair:
    """Two cells whose keys have the same values, but for one."""

    one: CellPlan
    other: CellPlan


def pair_of(key: Key[Any]) -> Pair:
    """The two by the way that knows the key: a probe's flags, else an experiment."""
    of = probed if key.help else planned
    asked = ASKED | BESIDE.get(key.name, {})
    return Pair(of(asked), of(asked | {key.name: another_value(key)}))


def probed(asked: dict[str, Any]) -> CellPlan:
    """The cell of a probe with these flags."""
    given = {key.name: key.default for key in PROBE_KEYS} | asked
    workload, timing = probe_request(given, targets=1)
    return probe_plan(workload, timing, TargetInfo(span_bytes=SPAN_BYTES, fill=False), seed=1).cells[0]


def planned(asked: dict[str, Any]) -> CellPlan:
    """The cell of an experiment with these keys."""
    needed = {key.name: key.default for key in EXPERIMENT_KEYS if key.in_file and key.in_file.needed}
    table = {"name": "any", **needed, **asked}
    campaign = CampaignTable.model_validate({"name": "any", "experiment": [table]})
    return campaign_plan(campaign, TargetInfo(span_bytes=SPAN_BYTES, fill=False), quick=False, seed=1).cells[0]


def another_value(key: Key[Any]) -> Any:  # noqa: ANN401 - of the key's kind
    """A value as a flag takes it, and not that of ``ASKED``."""
    asked, kind = ASKED.get(key.name, key.default), key.kind
    match kind:
        case Whole():
            return (asked or kind.least) + 1
        case Quantity():
            return next(example for example in kind.examples if example != asked)
        case OneOf(words):
            return next(word.value for word in words if word.value != asked)
        case Switch():
            return not asked
        case PatternText():
            return "zipf:1.2"
    return "8KiB"
