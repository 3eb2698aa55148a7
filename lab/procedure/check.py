"""The check: purge, preconditioning, a shortened IOPS test and its report, on an emulated NVMe drive."""

import random
import subprocess
from pathlib import Path
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds, criteria_of, procedures_of
from iosonde.analysis.procedures.condition import ConditionState
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.records import RunRecord
from iosonde.store import load_run
from iosonde.vocabulary import Outcome, PurgeState
from lab.guest import MIB, PRELOAD, PRELOADED, SECTOR_BYTES, Guest, filled
from lab.interpreter import IOSONDE
from lab.kernel import Kernel

SERIAL: Final = "LAB-PROCEDURE"
SIZE_BYTES: Final = 96 * MIB
REST_BYTES: Final = 1201 * SECTOR_BYTES
"""The capacity of a drive is seldom a multiple of 1 MiB: 960 GB is 0.6 MiB more than one."""

CELLS: Final = 6
ROUNDS_MAX: Final = 6
"""On an emulated CPU, throughput varies too much for steady state, so more rounds would not help."""

CAMPAIGN: Final = f"""
name = "shortened-iops"
purge = "format"
[about]
tester = "the lab"
[[procedure]]
use = "pts-iops"
is_like = true
defaults = {{ pattern = "random", jobs = 2, queue_depth = 8, write_cache = "off" }}
[[procedure.phase]]
name = "workload-independent preconditioning"
role = "preconditioning"
[[procedure.phase.cells]]
pattern = "sequential"
read = 0
block_size = "128KiB"
jobs = 1
capacities = 2
[[procedure.phase]]
name = "rounds"
[procedure.phase.steady]
track = [{{ read = 0, block_size = "4KiB", quantity = "iops" }}]
rounds_max = {ROUNDS_MAX}
[[procedure.phase.cells]]
read = [100, 65, 0]
block_size = ["64KiB", "4KiB"]
duration = "1s"
"""
RUN: Final = (
    f"run /dev/nvme0n1 --no-report --profile /lab/shortened.toml --destroy {SERIAL} --seed 1 "
    "--on-end 'echo $IOSONDE_OUTCOME > /lab/outcome' --out run"
)


def procedure(kernel: Kernel, folder: Path) -> list[str]:
    """The run directory says what was done, and becomes a PDF on another machine."""
    # The drive begins with random data, which a purge must remove.
    image = filled(folder / "drive.img", SIZE_BYTES)
    with image.open("r+b") as file:
        # Its partition table would be a reason to refuse it.
        file.write(bytes(MIB))
        file.seek(SIZE_BYTES)
        file.write(random.randbytes(REST_BYTES))
    hardware: tuple[str, ...] = ("-smp", "2", "-drive", f"file={image},if=none,id=d,format=raw")
    hardware += ("-device", f"nvme,serial={SERIAL},drive=d")
    guest = Guest(kernel, folder, hardware)
    guest.run(
        f"cat > /lab/shortened.toml << 'END'\n{CAMPAIGN}END\n"
        f"{PRELOAD}\nexport COLUMNS=100\n"
        f"{PRELOADED} {RUN} > /lab/out 2> /lab/said || {{ cat /lab/said; exit 1; }}\n"
        "cp -r run /lab/run"
    )
    run = folder / "shared" / "run"
    record = load_run(run, intervals=False)
    pdf = folder / "procedure.pdf"
    words = [str(IOSONDE), "report", str(run), "--pdf", str(pdf), "--force"]
    subprocess.run(words, check=True, capture_output=True)
    assert pdf.read_bytes().startswith(b"%PDF"), "the report is no PDF"
    assert guest.text("outcome").strip() == "finished", guest.text("said")
    return [*_measured(record), f"reported: a PDF of {pdf.stat().st_size / 1000:,.0f} kB, made on another machine"]


def _measured(record: RunRecord) -> list[str]:
    (rounds,) = procedures_of(record)
    (start,) = record.procedure_starts
    (purge,) = start.records
    assert start.purge is PurgeState.VERIFIED, start
    assert {each.outcome for each in record.cells} == {Outcome.FINISHED}, "a trial failed"
    states = {each.name: each for each in conditions_of(record, rounds)}
    for name in ("Purge", "Preconditioning", "Data pattern", "Active range"):
        assert states[name].state is ConditionState.VERIFIED, states[name]
    cells = _cells(rounds)
    said = _verdict(rounds)
    return [
        f"purged by {purge.purge.method}, and verified by reading back",
        f"preconditioned: {states['Preconditioning'].reason}",
        f"{CELLS} cells in rounds of {cells} trials; {said}",
    ]


def _cells(rounds: ProcedureRounds) -> int:
    assert rounds.main is not None, "no round is complete"
    cells = rounds.main.reported
    assert len(cells) == CELLS, len(cells)
    assert all(each.iops for each in cells), "a cell has no IOPS"
    return len(rounds.main.cells)


def _verdict(rounds: ProcedureRounds) -> str:
    assert rounds.main is not None, "no round is complete"
    found = criteria_of(rounds.main)[0]
    return f"steady state {found.verdict.value.replace('_', ' ')} after {rounds.main.rounds} rounds"
