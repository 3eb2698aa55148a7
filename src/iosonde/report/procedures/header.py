"""The header block of each page of a procedure's report."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds
from iosonde.analysis.procedures.condition import Condition, ConditionState
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.analysis.procedures.steady_condition import STEADY_STATE
from iosonde.printing import printable
from iosonde.records import RunRecord, TargetFacts
from iosonde.report.procedures.words import (
    parameters_text,
    preconditioning_text,
    specification_text,
    title_of,
)
from iosonde.report.validity import Invalid
from iosonde.units import format_amount, format_size

UNKNOWN: Final = "unknown"
TESTED_BY: Final = ("tested by", "tested_by", "tester", "operator")
VENDOR: Final = ("vendor", "manufacturer", "media manufacturer", "media_manufacturer")
SERIAL: Final = ("serial", "media serial", "media_serial")
INTERFACE: Final = ("interface", "link")
NAND: Final = ("nand", "nand type", "nand_type")
BOARD: Final = ("motherboard", "board", "mainboard")
ADAPTER: Final = ("hba", "controller", "adapter")
PLATFORM: Final = ("platform", "server", "test platform", "test_platform")
VALUE_MAX: Final = 88
"""The most characters of a value. The chapters have them in full."""


@dataclass(frozen=True)
class PageHeader:
    """The header block from the page on that a chapter begins on. ``columns`` are its facts, column by column."""

    chapter: str
    columns: tuple[tuple[tuple[str, str], ...], ...]


def page_headers(run: RunRecord, procedures: Mapping[str, ProcedureRounds], invalid: Invalid) -> tuple[PageHeader, ...]:
    """The header block of each chapter of a procedure, by its id; first that of the pages before. Empty without any.

    Its fields are those of the form that SNIA reports have.
    """
    if not procedures:
        return ()
    found = [(identity, [rounds]) for identity, rounds in procedures.items()]
    return tuple(
        _header(run, identity, rounds, invalid) for identity, rounds in [("", list(procedures.values())), *found]
    )


def _header(run: RunRecord, chapter: str, procedures: list[ProcedureRounds], invalid: Invalid) -> PageHeader:
    ended = run.end.ended_at if run.end is not None and run.end.ended_at else ""
    by_name = [{each.name: each for each in conditions_of(run, rounds, invalid)} for rounds in procedures]
    tests = [
        ("Run start", _time(run.header.created_at)),
        ("Run finish", _time(ended) or ("not finished" if not run.finished else UNKNOWN)),
        ("Procedure", _each(title_of(rounds.procedure) for rounds in procedures)),
        ("Specification", _each(specification_text(rounds.procedure) or "none" for rounds in procedures)),
        ("Tested by", _about(run, TESTED_BY) or UNKNOWN),
        ("Steady state", _conditions(by_name, STEADY_STATE)),
    ]
    host = run.header.host
    platform = [
        ("Platform", _about(run, PLATFORM) or host.cpu_model or UNKNOWN),
        ("OS", f"{host.distribution or ''} {host.kernel}".strip() or UNKNOWN),
        ("Motherboard", _about(run, BOARD) or UNKNOWN),
        ("Memory", format_size(host.memory_bytes)),
        ("HBA", _about(run, ADAPTER) or UNKNOWN),
        ("Test software", f"iosonde {run.header.iosonde_version}"),
    ]
    setup = [
        ("Purge", _conditions(by_name, "Purge")),
        ("Write cache", _conditions(by_name, "Write cache")),
        ("Data pattern", _conditions(by_name, "Data pattern")),
        ("Active range", _conditions(by_name, "Active range")),
        ("Precondition", _each(preconditioning_text(run, rounds.procedure) for rounds in procedures)),
        ("Test parameters", _each(parameters_text(run, rounds.procedure, brief=True) for rounds in procedures)),
    ]
    columns = (tests, list(device_facts(run)), platform, setup)
    return PageHeader(chapter, tuple(tuple((name, _short(value)) for name, value in each) for each in columns))


def device_facts(run: RunRecord) -> Iterator[tuple[str, str]]:
    """Vendor, model, serial number, firmware, capacity, interface and NAND of the device; "unknown" where they are.

    Of several devices, those that differ are named one after the other.
    """
    found = [dict(_facts_of(run, target)) for target in run.header.targets]
    for name in found[0]:
        values = [each[name] for each in found]
        # Serial numbers are those of single devices, also if one is not known.
        each = " each" if name == "Capacity" and len(values) > 1 and len(set(values)) == 1 else ""
        yield name, "; ".join(values if len(set(values)) > 1 else values[:1]) + each


def _facts_of(run: RunRecord, target: TargetFacts) -> Iterator[tuple[str, str]]:
    device, drive = target.device, target.simulation
    if drive is not None:
        size_bytes = drive.size_bytes or target.span_bytes
        yield "Vendor", _about(run, VENDOR) or "none (simulated)"
        yield "Model", f"simulated: {drive.title}"
        yield "Serial", f"seed {drive.seed}"
        yield "Firmware", "none (simulated)"
        yield "Capacity", format_amount(size_bytes)
        yield "Interface", _about(run, INTERFACE) or "none (simulated)"
        yield "NAND type", _about(run, NAND) or "none (simulated)"
        return
    size = target.span_bytes if device is None else device.size_bytes
    yield "Vendor", _about(run, VENDOR) or UNKNOWN
    yield "Model", (device.model if device is not None else "") or UNKNOWN
    yield "Serial", (device.serial if device is not None else "") or _about(run, SERIAL) or UNKNOWN
    yield "Firmware", (device.firmware if device is not None else "") or UNKNOWN
    yield "Capacity", format_amount(size) if size else UNKNOWN
    links = dict.fromkeys(str(each.health.link) for each in run.header.drives if each.health.link is not None)
    yield "Interface", _about(run, INTERFACE) or ", ".join(links) or UNKNOWN
    yield "NAND type", _about(run, NAND) or UNKNOWN


def _about(run: RunRecord, names: tuple[str, ...]) -> str:
    """What the campaign file says under one of these names."""
    said = {name.lower(): value for name, value in run.header.plan.about}
    return next((printable(said[name]) for name in names if name in said), "")


def _conditions(by_name: list[dict[str, Condition]], name: str) -> str:
    """The state with its reason, which goes without saying of a simulated drive."""
    found = [each[name] for each in by_name]
    return _each(
        each.state if each.state is ConditionState.SIMULATED else f"{each.state}: {each.reason}" for each in found
    )


def _each(texts: Iterator[str]) -> str:
    """The texts, each once."""
    return "; ".join(dict.fromkeys(texts))


def _time(text: str) -> str:
    """A time as it is recorded, in UTC."""
    return text.split(".", maxsplit=1)[0].replace("T", " ")


def _short(text: str) -> str:
    """The text, cut between two of its values, or between two words."""
    if len(text) <= VALUE_MAX:
        return text
    start = text[: VALUE_MAX - 1]
    values = start[: max(start.rfind(", "), start.rfind("; "))]
    words = values if len(values) > VALUE_MAX // 2 else start.rpartition(" ")[0]
    return f"{(words or text[: VALUE_MAX - 2]).rstrip(',;: ')} …"
