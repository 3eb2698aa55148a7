"""The memory for reading a long journal depends on the number of its cells, not on its size or its intervals."""

import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from iosonde.records import (
    INTERVAL_FORM,
    CellTurn,
    Histogram,
    IntervalRecord,
    Layout,
    Operation,
    OperationTotals,
    Phase,
    RunHeader,
)
from iosonde.store import RunDirectory
from iosonde.store.frames import Kind, encode
from iosonde.store.names import HEADER_NAME, JOURNAL_NAME
from tests.lab_builder import lab_run

JOURNAL_BYTES = 200 * 10**6
INTERVALS_PER_CELL = 600
# Python, Pydantic and a few cells need less. A reader that holds the journal, or all intervals, needs far more.
PEAK_BYTES_MAX = 70 * 10**6
SEED = 3

PEAK = """
import re, sys
from pathlib import Path
from iosonde.store import FollowedRun
followed = FollowedRun(Path(sys.argv[1]))
if sys.argv[2] == "followed":
    for _ in followed.news():
        pass
else:
    followed.read()
assert followed.record().finished
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024)
"""


@pytest.fixture(scope="module", params=["cells of ten minutes", "one cell of hours"])
def long_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with intervals of one second."""
    made = lab_run(repeats=1, quick=True)
    path = tmp_path_factory.mktemp("long") / "run"
    payloads = interval_payloads()
    every = JOURNAL_BYTES // len(payloads[0]) + 1
    per_cell = every if "one" in request.param else INTERVALS_PER_CELL
    cells = -(-every // per_cell)
    cell = made.cells[0]
    turns = [CellTurn(order=order, cell=cell.cell, repeat=order, seed=order) for order in range(1, cells + 1)]
    header: RunHeader = made.header.model_copy(
        update={"plan": made.header.plan.model_copy(update={"turns": tuple(turns)})}
    )
    with RunDirectory.create(path).start_journal(header) as journal, (path / JOURNAL_NAME).open("ab") as file:
        for turn in turns:
            for number in range(per_cell):
                payload = b'{"order":%d,"interval":%b}' % (turn.order, payloads[number % len(payloads)])
                file.write(encode(Kind.INTERVAL, payload))
            ended = cell.model_copy(update={"order": turn.order, "repeat": turn.repeat})
            file.write(encode(Kind.CELL, ended.model_dump_json(exclude={"intervals"}).encode()))
        file.write(encode(Kind.END, b'{"finished":true}'))
        journal.close()
    return path


def interval_payloads() -> list[bytes]:
    """Different intervals, as in a real journal, so that compression does not make the archive tiny."""
    draw = random.Random(SEED)
    return [INTERVAL_FORM.dump_json(interval(draw), exclude_none=True) for _ in range(50)]


def interval(draw: random.Random) -> IntervalRecord:
    buckets = tuple(sorted(draw.sample(range(1000, 3000), 400)))
    counts = tuple(draw.randrange(1, 1000) for _ in buckets)
    totals = OperationTotals(
        count=sum(counts),
        bytes=4096 * sum(counts),
        latency_ns_sum=sum(counts) * 80_000,
        latency_ns_min=1,
        latency_ns_max=10**9,
        latency=Histogram(layout=Layout(), bucket=buckets, count=counts),
    )
    return IntervalRecord(
        phase=Phase.MEASURE,
        interval_first=0,
        interval_last=0,
        start_ns=0,
        end_ns=10**9,
        in_flight_ns=10**9,
        operations={Operation.READ: totals},
    )


def peak_bytes(run: Path, way: str) -> int:
    ended = subprocess.run([sys.executable, "-c", PEAK, str(run), way], capture_output=True, text=True, check=True)
    return int(ended.stdout)


@pytest.mark.parametrize("way", ["read", "followed"])
def test_a_long_run_is_read_in_the_memory_of_its_cells(long_run: Path, way: str) -> None:
    assert (long_run / JOURNAL_NAME).stat().st_size >= JOURNAL_BYTES
    peak = peak_bytes(long_run, way)
    assert peak < PEAK_BYTES_MAX, f"{peak / 1e6:.0f} MB"


def test_so_is_an_archive_of_it(long_run: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in (HEADER_NAME, JOURNAL_NAME):
            archive.write(long_run / name, name)
    peak = peak_bytes(tmp_path / "run.zip", "read")
    assert peak < PEAK_BYTES_MAX, f"{peak / 1e6:.0f} MB"
