"""Finds out which tool wrote files, and reads their rounds."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from iosonde.errors import UsageError
from iosonde.plans import cell_name
from iosonde.printing import quoted
from iosonde.records import Access
from iosonde.safe_files import read_regular
from iosonde.sources.rounds.csv_tables import read_csv
from iosonde.sources.rounds.fio_files import is_fio, read_fio
from iosonde.sources.rounds.measured import NOTHING_GIVEN, GivenCell, Measured, MeasuredRounds, rounds_of
from iosonde.sources.rounds.tkperf_xml import read_tkperf
from iosonde.sources.rounds.tracking import Tracking
from iosonde.store import HEADER_NAME
from iosonde.units import SECOND_NS, exact_size
from iosonde.vocabulary import ProcedureKind, Quantity

LATENCY_MIXES: Final = frozenset({0, 65, 100})
LATENCY_SIZE_MAX: Final = 8192
FILE_BYTES_MAX: Final = 256 << 20
ONE_IN_FLIGHT_SHARE: Final = 0.2
"""Overhead between operations lowers the number in flight by this share at most."""

NAMED_MAX: Final = 6
FILES_MAX: Final = 20_000
SUFFIXES: Final = frozenset({".json", ".xml", ".csv", ".tsv", ".txt", ".out", ".log"})
_WAY_OUT: Final = "use TKperf's XML, JSON files of fio, or a CSV file with a row for each round and cell"


def read_rounds(
    paths: Sequence[Path], tracking: Sequence[Tracking] = (), given: GivenCell = NOTHING_GIVEN
) -> tuple[MeasuredRounds, ...]:
    """The rounds in files and folders, by test. Raises UsageError for files of no known tool.

    ``given`` is what the user says of the cells of tables that have no columns for it.

    The JSON files of fio in a folder are one set of rounds, and so are all files that are named one by one. Sequential
    and random workloads are separate tests, and so are a queue depth of 1 and deeper queues. Each block size of a
    sequential workload is a test of its own, and so is each phase of a procedure that a table names.
    """
    found: list[MeasuredRounds] = []
    outputs: dict[Path | None, dict[Path, str]] = {}
    tables: list[tuple[Path | None, Path, bytes]] = []
    for folder, path in _files(paths):
        data = _content(path)
        text = _text(data)
        if text.lstrip()[:1] == "<":
            found += read_tkperf(data, str(path), tracking)
        elif is_fio(text):
            outputs.setdefault(folder, {})[path] = text
        else:
            tables.append((folder, path, data))
    if given != NOTHING_GIVEN and not tables:
        raise UsageError("--cell is for tables, and none is among the files", "leave it out")
    not_read: dict[Path, list[str]] = {}
    for folder, path, data in tables:
        try:
            found += _of_table(data, str(path), tracking, given)
        except UsageError as error:
            # A folder of fio outputs may also contain notes and scripts.
            if folder is None or folder not in outputs:
                raise
            not_read.setdefault(folder, []).append(error.message)
    for folder, texts in outputs.items():
        name = str(next(iter(texts))) if len(texts) == 1 else f"{len(texts)} files of fio"
        name = f"{folder}: {name}" if folder is not None and len(outputs) > 1 else name
        files = tuple(not_read.get(folder, ())) if folder is not None else ()
        outputs_of_fio = read_fio(texts)
        measured, doubts = outputs_of_fio.measured, outputs_of_fio.doubts
        facts = {"Software": outputs_of_fio.version} if outputs_of_fio.version else {}
        found += [
            replace(each, not_read=(*files, *each.not_read), doubts=doubts, facts=facts, said=outputs_of_fio.said)
            for each in _tests(name, measured, tracking)
        ]
    _check_tracking(found, tracking)
    return tuple(found)


def _check_tracking(found: Sequence[MeasuredRounds], tracking: Sequence[Tracking]) -> None:
    """Raises UsageError for a tracking variable of a cell that no test has."""
    workloads = [each for test in found for each in test.phase.workloads.values()]
    for number, each in enumerate(tracking, 1):
        if not any(each.is_of(workload) for workload in workloads):
            raise UsageError(
                f"the files have no cell of tracking variable {number}",
                "name the read percentage, block size, queue depth and jobs of a cell that was measured",
            )


def _text(data: bytes) -> str:
    """The content of a file as text, with a sign in place of what is not UTF-8."""
    return data.decode("utf-8-sig", errors="replace")


def _of_table(data: bytes, source: str, tracking: Sequence[Tracking], given: GivenCell) -> Iterator[MeasuredRounds]:
    """The tests of a table. Raises UsageError."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise UsageError(f"{source} is text in UTF-16", "save it as UTF-8")
    table = read_csv(_text(data), source, given)
    left = (*table.left, *((f"columns {', '.join(table.unused)}",) if table.unused else ()))
    told = tuple(f"{source}: {each}" for each in left)
    return (replace(each, not_read=(*told, *each.not_read)) for each in _tests(source, table.measured, tracking))


def _tests(source: str, measured: Sequence[Measured], tracking: Sequence[Tracking]) -> list[MeasuredRounds]:
    """The tests that cells belong to."""
    if not measured:
        raise UsageError(f"{source} has no rounds", _WAY_OUT)
    stated: dict[str, list[Measured]] = {}
    for each in measured:
        stated.setdefault(each.test, []).append(each)
    parts = ((test, part) for test, every in stated.items() for part in _parts(every, is_named=bool(test)))
    # The user names what to judge, and a test can have none of it.
    left: list[str] = []
    found: list[MeasuredRounds] = []
    for test, (name, kind, mine) in parts:
        applying = [each for each in tracking if any(each.is_of(cell.workload) for cell in mine)]
        if tracking and mine and not applying:
            left += dict.fromkeys(cell_name(each.workload) for each in mine)
        elif mine:
            named = f"{test}: {name}" if test else name
            found.append(rounds_of(source, mine, name=named, kind=kind, tracking=applying))
    told = f"{', '.join(left[:NAMED_MAX])}{' and others' if len(left) > NAMED_MAX else ''}: --track names none of them"
    return [replace(each, not_read=(told,)) if left else each for each in found]


_Part = tuple[str, ProcedureKind, list[Measured]]
_IOPS: Final = ("iops", ProcedureKind.IOPS)
_KINDS: Final = {
    Quantity.BYTES_PER_S: ("throughput", ProcedureKind.THROUGHPUT),
    Quantity.LATENCY_NS_MEAN: ("latency", ProcedureKind.LATENCY),
}
"""The test of a table that says what it tracks, by quantity."""


def _parts(measured: Sequence[Measured], *, is_named: bool) -> Iterator[_Part]:
    """The cells of a stated test by the kind of test that they are of, each with a name. A part can be empty.

    A table that says what it tracks is one test.
    """
    if stated := {quantity for each in measured for quantity in each.tracked}:
        yield (*_KINDS.get(next(iter(stated)), _IOPS), list(measured))
        return
    scattered = [each for each in measured if _is_random(each)]
    # A test with a name can vary the demand from one operation in flight on. A matrix with other mixes and sizes than
    # the latency test has is that of an IOPS test.
    varies = is_named and any(each.workload.operations_in_flight > 1 for each in scattered)
    is_matrix = varies or not all(map(_is_in_latency_test, scattered))
    single = [each for each in scattered if each.workload.operations_in_flight == 1 and not is_matrix]
    deep = [each for each in scattered if each.workload.operations_in_flight > 1]
    several = scattered if is_matrix else deep
    if several and all(map(_has_latency_only, several)):
        yield "latency at depth", ProcedureKind.LATENCY, several
    else:
        yield "iops", ProcedureKind.IOPS, several
    yield from _throughput_parts([each for each in measured if not _is_random(each)])
    # A table that does not state the demand says by its values what it is about.
    no_latency = all(each.value.latency_ns_mean is None for each in single)
    no_demand = all(not each.states_demand and each.value.iops is not None for each in single)
    no_demand = no_demand and not all(map(_is_one_in_flight, single))
    if no_latency or no_demand:
        yield "iops at queue depth 1" if several else "iops", ProcedureKind.IOPS, single
    else:
        yield "latency", ProcedureKind.LATENCY, single


def _throughput_parts(measured: Sequence[Measured]) -> Iterator[_Part]:
    """A test for each block size, which is judged by itself (SNIA PTS 2.0.2, chapter 8)."""
    sizes = sorted({each.workload.block_size_bytes for each in measured}, reverse=True)
    for size in sizes:
        name = f"throughput, {exact_size(size)}" if len(sizes) > 1 else "throughput"
        yield name, ProcedureKind.THROUGHPUT, [each for each in measured if each.workload.block_size_bytes == size]


def _is_in_latency_test(measured: Measured) -> bool:
    """Whether the mix and block size of a cell are those of the PTS latency test, or the cell has no IOPS."""
    work = measured.workload
    is_usual = work.read_percent in LATENCY_MIXES and work.block_size_bytes <= LATENCY_SIZE_MAX
    return is_usual or measured.value.iops is None or work.operations_in_flight > 1


def _is_one_in_flight(measured: Measured) -> bool:
    """Whether IOPS and mean latency say that one operation was in flight (Little's law)."""
    iops, mean = measured.value.iops, measured.value.latency_ns_mean
    return iops is not None and mean is not None and abs(iops * mean / SECOND_NS - 1) < ONE_IN_FLIGHT_SHARE


def _has_latency_only(measured: Measured) -> bool:
    value = measured.value
    return value.iops is None and value.bytes_per_s is None and value.latency_ns_mean is not None


def _is_random(measured: Measured) -> bool:
    return measured.workload.pattern is not Access.SEQUENTIAL


def _is_run(path: Path) -> bool:
    """Whether a folder is a run of iosonde. Raises UsageError if it cannot be looked into."""
    try:
        if path.is_dir():
            next(path.iterdir(), None)
        return (path / HEADER_NAME).exists()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", "use a file or folder that you have permission to read"
        ) from error


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path | None, Path]]:
    """All files, each with the folder that was named; None for a file that was."""
    count = 0
    for path in paths:
        if _is_run(path):
            raise UsageError(
                f"{path} is a run of iosonde, whose rounds are judged already",
                f"use `iosonde show {quoted(path)}` or `iosonde compare`",
            )
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file())
            if not inside:
                raise UsageError(f"{path} has no files of rounds", _WAY_OUT)
        else:
            inside = [path]
        for each in inside:
            count += 1
            if count > FILES_MAX:
                raise UsageError(f"there are more than {FILES_MAX:,} files", "name the folder of a single test")
            yield (path if path.is_dir() else None), each


def _content(path: Path) -> bytes:
    try:
        if not path.exists():
            raise UsageError(f"{path} does not exist", _WAY_OUT)
        if not path.is_file():
            raise UsageError(f"{path} is not a file", _WAY_OUT)
        if path.stat().st_size > FILE_BYTES_MAX:
            raise UsageError(f"{path} is larger than {FILE_BYTES_MAX >> 20} MiB", _WAY_OUT)
        return read_regular(path, bytes_max=FILE_BYTES_MAX, follow=True)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", "use a file that you have permission to read"
        ) from error
