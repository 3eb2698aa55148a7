"""Runs of standard procedures on simulated drives, smaller and shorter by a scale."""

from dataclasses import dataclass
from pathlib import Path

from iosonde.records import RunRecord, SteadyState
from iosonde.store import load_run
from iosonde.vocabulary import Outcome, PurgeState
from tests.commands import iosonde

SCALE = 300


@dataclass(frozen=True)
class Story:
    """A finished run of a procedure, its directory, and what it printed at its end."""

    run: RunRecord
    directory: Path
    printed: str

    @property
    def page(self) -> str:
        return (self.directory / "report.html").read_text(encoding="utf-8")


def story_of(
    folder: Path, profile: str, target: str = f"sim:sata-dc,seed=3,scale={SCALE}", words: tuple[str, ...] = ()
) -> Story:
    """Runs a procedure from its purge to its report."""
    directory = folder / "run"
    asked = ("run", target, "--profile", profile, "--seed", "5", *words, "--out", directory)
    done = iosonde(*asked, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "could not be created" not in done.stderr
    return Story(load_run(directory, intervals=False), directory, " ".join(done.stdout.split()))


def check_phases(run: RunRecord, purge: PurgeState = PurgeState.SIMULATED) -> None:
    """Each phase of each procedure was measured in order, and each round has the cells of the plan in their order."""
    assert run.finished
    assert {each.outcome for each in run.cells} == {Outcome.FINISHED}
    planned = [(each.name, phase.name) for each in run.header.plan.procedures for phase in each.phases]
    assert list(dict.fromkeys((turn.procedure, turn.phase) for turn in run.turns)) == planned
    assert [record.phase for record in run.cells] == [turn.phase for turn in run.turns]
    starts = {each.procedure: each.purge for each in run.procedure_starts}
    assert starts == {each.name: purge for each in run.header.plan.procedures}
    for procedure in run.header.plan.procedures:
        for phase in procedure.phases:
            mine = [turn for turn in run.turns if (turn.procedure, turn.phase) == (procedure.name, phase.name)]
            if isinstance(phase.stop, SteadyState):
                rounds = range(1, max(turn.round or 0 for turn in mine) + 1)
                assert [turn.cell for turn in mine] == [cell for _ in rounds for cell in phase.cells]
