"""A minimal importer: reads the output of a fictitious tool as results that can be checked.

The output has one table for each cell, with a heading and, as an option of the tool, the workload below it:

    == reads ==
    workload: random 100 % reads, 4096 B, depth 1, threads 1
     total |      10204 |  41.80 |   0.10
       50th |      0.09
    caution: the write cache is on
"""

import re
from typing import Final

from iosonde.analysis.distribution import latency_figure
from iosonde.analysis.results import PrintedCell, Results, ResultsKind
from iosonde.figures import Printed
from iosonde.records import Access, Moments, Operation, Percentiles, Workload
from iosonde.vocabulary import Quantity

MS, MB = 10**6, 10**6
_PERCENT: Final = {"50th": 50.0, "99th": 99.0, "max": 100.0}
_THROUGHPUT: Final = {Quantity.IOPS, Quantity.BYTES_PER_S}
_WORKLOAD: Final = re.compile(r"workload: (\w+) (\d+) % reads, (\d+) B, depth (\d+), threads (\d+)")
_HEAD: Final = re.compile(r"^== (.+) ==\n", re.MULTILINE)
_CAUTIONS: Final = {"the write cache is on": "volatile-write-cache"}
_ABORTED: Final = "aborted"


def results_in(text: str, name: str) -> Results:
    """The results in such a document."""
    _, *parts = _HEAD.split(text)
    cells = [_cell(head, table) for head, table in zip(parts[::2], parts[1::2], strict=True)]
    return Results(ResultsKind.DOCUMENT, name, cells)


def _cell(name: str, table: str) -> PrintedCell:
    rows = [[field.strip() for field in line.split("|")] for line in table.splitlines()]
    _, iops, bandwidth, mean = next(row for row in rows if row[0] == "total")
    points = {_PERCENT[row[0]]: Printed.of(row[1], MS) for row in rows if row[0] in _PERCENT}
    moments = Moments(mean_ns=Printed.of(mean, MS))
    latency = Percentiles(percent=tuple(points), ns=tuple(points.values()), moments=moments)
    workload = _workload(table)
    subject = Operation.READ if workload is None else workload.subject
    return PrintedCell(
        name=name,
        subject=subject,
        figures=(
            Printed.of(iops).figure(Quantity.IOPS, subject, name),
            Printed.of(bandwidth, MB).figure(Quantity.BYTES_PER_S, subject, name),
            *(latency_figure(each, subject, [latency], name) for each in Quantity if each not in _THROUGHPUT),
        ),
        workload=workload,
        invalid_by=("cell-failed",) if _ABORTED in table else (),
        unreliable_by=tuple(id_ for said, id_ in _CAUTIONS.items() if f"caution: {said}" in table),
    )


def _workload(table: str) -> Workload | None:
    found = _WORKLOAD.search(table)
    if found is None:
        return None
    pattern, *numbers = found.groups()
    read, size, depth, threads = map(int, numbers)
    return Workload(pattern=Access(pattern), read_percent=read, block_size_bytes=size, queue_depth=depth, jobs=threads)
