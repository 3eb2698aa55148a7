"""Reads TKperf's XML: the round matrices of its tests. The text of each element is JSON.

Each test has ``roundmat``: of ``iops`` [round][mix][size], of ``lat`` [round][mix][size][min, max, mean] in
microseconds, of ``tp`` [size][read, write][round] in KiB/s, of ``writesat`` [[IOPS], [[min, max, mean]]]. ``rndnr`` is
the index of the last round, from 0.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from xml.etree import ElementTree as ET

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.sources.rounds.measured import Demand, Measured, MeasuredRounds, rounds_of, workload_of
from iosonde.sources.rounds.tkperf_facts import tkperf_facts
from iosonde.sources.rounds.tracking import Tracking
from iosonde.vocabulary import ProcedureKind, Quantity

KIB: Final = 1024
MIXES: Final = (100, 95, 65, 50, 35, 5, 0)
SIZES: Final = (1024 * KIB, 128 * KIB, 64 * KIB, 32 * KIB, 16 * KIB, 8 * KIB, 4 * KIB, 512)
LATENCY_MIXES: Final = (100, 65, 0)
LATENCY_SIZES: Final = (8 * KIB, 4 * KIB, 512)
THROUGHPUT_SIZES: Final = (1024 * KIB, 64 * KIB, 8 * KIB, 4 * KIB, 512)
ROUNDED_US: Final = 1
"""Versions of fio that count in microseconds leave out the fraction of the minimum and the maximum."""

HARD_DISK_MIXES: Final = 3
HARD_DISK_SIZES: Final = 2
_REPORTED: Final = ("stdyrounds", "stdyvalues", "stdyslope", "stdyavg", "reachstdystate")
_HINT: Final = "use the unmodified XML file that TKperf wrote"


def read_tkperf(data: bytes, source: str, tracking: Sequence[Tracking] = ()) -> tuple[MeasuredRounds, ...]:
    """The tests of a file. Raises UsageError for anything that TKperf does not write."""
    root = _parsed(data, source)
    tests: dict[str, Callable[[_Test], Iterator[Measured]]] = {
        "iops": _iops,
        "tp": _throughput,
        "lat": _latency,
        "writesat": _saturation,
    }
    found = []
    is_alone = sum(element.tag in tests for element in root) == 1
    for element in root:
        if element.tag in tests:
            test = _Test(element, source)
            try:
                if test.is_of_hard_disk:
                    raise UsageError(
                        f"{source}: {element.tag} is TKperf's test of a hard disk, and the file does not say where its "
                        "zones are",
                        f"measure the disk with `iosonde run DEVICE --profile tkperf-hdd-{element.tag}`",
                    )
                measured = list(tests[element.tag](test))
            except (TypeError, ValueError, IndexError, KeyError, OverflowError, RecursionError) as error:
                raise UsageError(f"{source}: the rounds of {element.tag} are not in TKperf's form", _HINT) from error
            if not measured:
                raise UsageError(f"{source}: {element.tag} has no rounds", _HINT)
            found.append(_rounds(test, element.tag, measured, tracking, is_alone=is_alone))
    if root.find("Profile") is not None or root.find("TimeSpan") is not None:
        raise UsageError(f"{source} is XML of DiskSpd, which is not read yet", "write its rounds to a CSV file")
    if not found:
        raise UsageError(f"{source} has none of TKperf's SSD tests (iops, tp, lat, writesat)", _HINT)
    facts = tkperf_facts(root)
    return tuple(replace(each, facts=facts) for each in found)


def _rounds(
    test: "_Test", tag: str, measured: list[Measured], tracking: Sequence[Tracking], *, is_alone: bool
) -> MeasuredRounds:
    # TKperf takes the second smallest block size, which is 8 KiB on drives with sectors of 4 KiB.
    small = sorted({each.workload.block_size_bytes for each in measured})[:2][-1]
    kind, variable = {
        "iops": (ProcedureKind.IOPS, Tracking(Quantity.IOPS, 0, small)),
        "tp": (ProcedureKind.THROUGHPUT, Tracking(Quantity.BYTES_PER_S, 0, 1024 * KIB)),
        "lat": (ProcedureKind.LATENCY, Tracking(Quantity.LATENCY_NS_MEAN, 0, small)),
        "writesat": (ProcedureKind.WRITE_SATURATION, Tracking(Quantity.IOPS, 0, 4 * KIB)),
    }[tag]
    # A file has several tests, and a variable is of one of them.
    applying = [
        each
        for each in tracking
        if any(each.is_of(cell.workload) and cell.value.of(each.quantity) is not None for cell in measured)
    ]
    return rounds_of(
        test.source,
        measured,
        name=f"tkperf-{tag}",
        kind=kind,
        tracking=applying or (variable,),
        # Write saturation is judged only if the user asks for it, and not for a variable of another test.
        steady=tag != "writesat" or (is_alone and bool(applying)),
        # What the file says is of TKperf's own variable.
        said=test.said if not applying or applying == [variable] else {},
    )


class _Test:
    """One test: its elements by name."""

    def __init__(self, element: ET.Element, source: str) -> None:
        self.source = source
        self.tag = element.tag
        self._texts = {each.tag: each.text or "" for each in element}

    def value(self, name: str) -> Any:  # noqa: ANN401 - what the JSON holds
        """The value of an element; None without it. Raises ValueError for a text that is not JSON."""
        text = self._texts.get(name)
        found = None if text is None else json.loads(text, parse_constant=_no_number)
        # A value that was encoded twice.
        if isinstance(found, str) and found[:1] in {"[", "{"}:
            return json.loads(found, parse_constant=_no_number)
        return found

    @property
    def is_of_hard_disk(self) -> bool:
        """Whether its matrix has 128 zones: of ``iops`` [zone][3 mixes][3 sizes], of ``tp`` [2 sizes][2][zone]."""
        matrix = self.value("roundmat")
        if self.tag == "iops":
            return bool(matrix) and len(matrix[0]) == HARD_DISK_MIXES
        return self.tag == "tp" and len(matrix) == HARD_DISK_SIZES

    @property
    def said(self) -> dict[str, str]:
        """What the file says of its own steady state."""
        return {name: self._texts[name].strip() for name in _REPORTED if name in self._texts}

    @property
    def demand(self) -> Demand:
        """The jobs and the queue depth."""
        is_sequential = self.tag == "tp"
        return Demand(is_sequential, int(self.value("iodepth") or 1), int(self.value("numjobs") or 1))

    def rounds(self, matrix: Sequence[Any]) -> Sequence[Any]:
        """The rounds that were measured: ``rndnr`` is the index of the last one. Raises UsageError for another number.

        TKperf may leave empty rounds after the last one.
        """
        last = self.value("rndnr")
        if last is None:
            return matrix
        text = str(last)
        if not (text.isascii() and text.isdecimal()) or int(text) >= len(matrix):
            raise UsageError(
                f"{self.source}: rndnr of {self.tag} is {last}, which is the index of none of its {len(matrix)} rounds",
                _HINT,
            )
        return matrix[: int(text) + 1]

    def latency(self, number: int, least: float, most: float, mean: float) -> RoundValue:
        """Latencies of a round, which are in microseconds. Raises UsageError if they contradict one another."""
        found = latency_us(least, most, mean)
        if least - mean > ROUNDED_US or mean - most > ROUNDED_US:
            raise UsageError(
                f"{self.source}: round {number} of {self.tag} has a mean latency of {mean:g} µs, which is not between "
                f"its minimum of {least:g} µs and its maximum of {most:g} µs",
                _HINT,
            )
        return found


def _no_number(text: str) -> float:
    """Raises ValueError for NaN and Infinity, which JSON does not have."""
    raise ValueError(text)


def _number(value: object) -> float:
    """A number of the JSON. Raises TypeError for anything else that ``float`` would take."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return float(value)


def _even(rounds: Sequence[Any]) -> Sequence[Any]:
    """The rounds, if all rows have the same length. Raises ValueError: the sizes of a shorter one are unknown."""
    if len({len(values) for mixes in rounds for values in mixes}) > 1:
        raise ValueError(rounds)
    return rounds


def _iops(test: _Test) -> Iterator[Measured]:
    for number, mixes in enumerate(_even(test.rounds(test.value("roundmat")))):
        for mix, values in zip(MIXES, mixes, strict=True):
            # On drives with sectors of 4 KiB, TKperf leaves out 512 bytes.
            for size, iops in zip(SIZES, values, strict=len(values) != len(SIZES) - 1):
                yield Measured(number, workload_of(mix, size, test.demand), RoundValue(iops=_number(iops)))


def _latency(test: _Test) -> Iterator[Measured]:
    for number, mixes in enumerate(_even(test.rounds(test.value("roundmat")))):
        for mix, values in zip(LATENCY_MIXES, mixes, strict=True):
            for size, (least, most, mean) in zip(LATENCY_SIZES, values, strict=len(values) != len(LATENCY_SIZES) - 1):
                value = test.latency(number, least, most, mean)
                yield Measured(number, workload_of(mix, size, Demand()), value)


def _throughput(test: _Test) -> Iterator[Measured]:
    matrix = test.value("roundmat")
    for size, directions in zip(THROUGHPUT_SIZES, matrix, strict=len(matrix) != len(THROUGHPUT_SIZES) - 1):
        for mix, rounds in zip((100, 0), directions, strict=True):
            workload = workload_of(mix, size, test.demand)
            for number, kib_per_s in enumerate(test.rounds(rounds)):
                yield Measured(number, workload, RoundValue(bytes_per_s=_number(kib_per_s) * KIB))


def _saturation(test: _Test) -> Iterator[Measured]:
    iops, latencies = test.value("roundmat")
    workload = workload_of(0, 4 * KIB, test.demand)
    for number, (each, (least, most, mean)) in enumerate(zip(iops, latencies, strict=True)):
        found = test.latency(number, least, most, mean)
        yield Measured(
            number,
            workload,
            RoundValue(
                iops=_number(each),
                latency_ns_mean=found.latency_ns_mean,
                latency_ns_min=found.latency_ns_min,
                latency_ns_max=found.latency_ns_max,
            ),
        )


def latency_us(least: float, most: float, mean: float) -> RoundValue:
    """Latencies in microseconds."""
    return RoundValue(
        latency_ns_mean=_number(mean) * 1000,
        latency_ns_min=round(_number(least) * 1000),
        latency_ns_max=round(_number(most) * 1000),
    )


class _WithoutDocumentType(ET.TreeBuilder):
    """Refuses a document type, which could define entities, in any encoding."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._source = source

    def doctype(self, *_: object) -> None:
        """Called before the first definition of a document type is read."""
        raise UsageError(f"{self._source} has a document type, which TKperf does not write", _HINT)


def _parsed(data: bytes, source: str) -> ET.Element:
    """The root element."""
    parser = ET.XMLParser(target=_WithoutDocumentType(source))  # noqa: S314 - it has no entities to expand
    try:
        return ET.fromstring(data, parser)  # noqa: S314 - see above
    except (ET.ParseError, LookupError, ValueError) as error:
        raise UsageError(f"{source} is not XML: {error}", _HINT) from error
