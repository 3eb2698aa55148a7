"""The finding about bandwidth that the link of a drive cannot carry."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from iosonde.findings.link import link_rate
from iosonde.records import Drive, DriveHealth, HealthSource, Operation, RunRecord, SimulationFacts
from tests.builders import cell_plan, cell_record, totals_of, workload
from tests.findings.runs import ids, only, run_of

SECONDS = 5
"""The length of the builders' trials."""

MB = 10**6
SATA, PCIE = "6.0 Gbps", "2.5 GT/s PCIe x2"
"""600 MB/s for both directions together, and 500 MB/s for each."""


def moved(read_mb_per_s: float, write_mb_per_s: float = 0) -> RunRecord:
    """Three trials with so much bandwidth."""
    plan = cell_plan(workload(read_percent=50 if write_mb_per_s else 100, queue_depth=1))
    done = {}
    for kind, rate in ((Operation.READ, read_mb_per_s), (Operation.WRITE, write_mb_per_s)):
        if rate:
            total = totals_of([5_000_000] * (500 if write_mb_per_s else 1000))
            done[kind] = replace(total, bytes=round(rate * MB * SECONDS))
    return run_of(*(cell_record(plan, done, repeat=number) for number in (1, 2, 3)))


def on(link: str, run: RunRecord, *, direct: bool = True) -> RunRecord:
    drive = Drive(disk="nvme0n1", health=DriveHealth(source=HealthSource.SMART_LOG, link=link))
    target = run.header.target.model_copy(update={"direct": direct})
    return run.model_copy(update={"header": run.header.model_copy(update={"drives": (drive,), "target": target})})


def simulated(run: RunRecord, duplex: str) -> RunRecord:
    table = {"link": {"bytes_per_s": 500 * MB, "duplex": duplex}}
    facts = SimulationFacts(model="mine", title="mine", table=table, seed=1)
    target = run.header.target.model_copy(update={"simulation": facts})
    return run.model_copy(update={"header": run.header.model_copy(update={"target": target})})


FIRES: dict[str, Callable[[], RunRecord]] = {"faster-than-link": lambda: on(PCIE, moved(520))}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("faster-than-link", lambda: on(PCIE, moved(505))),
    ("faster-than-link", lambda: on(PCIE, moved(490, 490))),
    ("faster-than-link", lambda: on(SATA, moved(290, 290))),
    ("faster-than-link", lambda: on(PCIE, moved(520), direct=False)),
    ("faster-than-link", lambda: on("unknown", moved(520))),
    ("faster-than-link", lambda: simulated(moved(300, 300), "full")),
]


def test_both_directions_share_a_sata_link_and_a_half_duplex_model() -> None:
    assert "link of the drive" in only(on(SATA, moved(320, 320)), "faster-than-link").statement
    assert "faster-than-link" in ids(simulated(moved(300, 300), "half"))


def test_the_cell_its_bandwidth_and_that_of_the_link_are_told() -> None:
    found = only(FIRES["faster-than-link"](), "faster-than-link")
    assert f"{found.cells[0]} has 520 MB/s, and the link 500 MB/s" in found.statement


@pytest.mark.parametrize(
    ("link", "mb_per_s"),
    [("2.5 GT/s PCIe x1", 250), ("5.0 GT/s PCIe x2", 1000), ("16.0 GT/s PCIe x4", 7877), ("6.0 Gbps", 600)],
)
def test_the_rate_of_a_link_is_without_its_line_code(link: str, mb_per_s: int) -> None:
    rate = link_rate(link)
    assert rate is not None
    assert round(rate[0] / MB) == mb_per_s
