"""Each standard procedure runs from its purge to its report on a simulated drive, smaller and shorter by a scale."""

from pathlib import Path

import pytest

from iosonde.records import RunRecord, SteadyState
from iosonde.store import load_run
from iosonde.vocabulary import Outcome, PurgeState
from tests.commands import iosonde

SNIA = ("pts-iops", "pts-tp", "pts-lat", "pts-wsat", "pts-hir", "pts-xsr", "pts-cbw", "pts-dirth")
TKPERF = ("tkperf-iops", "tkperf-tp", "tkperf-lat", "tkperf-writesat")
SCALE = 300
# At depth 1, a cell of 0.2 s has less than a hundred operations of 1 MiB, so a mix of 95 % reads may have no write.
SCALES = {"tkperf-iops": 90}


def run(folder: Path, profile: str) -> RunRecord:
    target = f"sim:sata-dc,seed=3,scale={SCALES.get(profile, SCALE)}"
    done = iosonde("run", target, "--profile", profile, "--seed", "5", "--out", folder / "run", folder=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "run" / "report.html").stat().st_size
    return load_run(folder / "run", intervals=False)


@pytest.mark.parametrize("profile", [*SNIA, *TKPERF, "sustained-write"])
def test_a_procedure_runs_through_all_of_its_phases(profile: str, tmp_path: Path) -> None:
    found = run(tmp_path, profile)
    assert found.finished
    assert {each.outcome for each in found.cells} == {Outcome.FINISHED}
    planned = [(each.name, phase.name) for each in found.header.plan.procedures for phase in each.phases]
    assert list(dict.fromkeys((turn.procedure, turn.phase) for turn in found.turns)) == planned
    starts = {each.procedure: each.purge for each in found.procedure_starts}
    assert starts == {each.name: PurgeState.SIMULATED for each in found.header.plan.procedures}


def test_rounds_follow_the_nesting_of_the_specification(tmp_path: Path) -> None:
    found = run(tmp_path, "pts-lat")
    (procedure,) = found.header.plan.procedures
    rounds = next(phase for phase in procedure.phases if isinstance(phase.stop, SteadyState))
    last = max(turn.round or 0 for turn in found.turns if turn.phase == rounds.name)
    for number in range(1, last + 1):
        mine = tuple(turn.cell for turn in found.turns if (turn.phase, turn.round) == (rounds.name, number))
        assert mine == rounds.cells
