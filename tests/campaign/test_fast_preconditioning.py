"""Fast preconditioning from a campaign file to the report, and after an interruption."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.campaign import NullObserver, preflight
from iosonde.cli.plan_text import plan_lines
from iosonde.errors import IosondeError
from iosonde.plans import plan_cost
from iosonde.records import CellRecord, FastRandom, Operation, Outcome, RunRecord
from iosonde.report.facts import fact_groups
from iosonde.store import load_run
from tests.campaign_runs import measure, profile_request, resume

NOW = datetime(2026, 11, 23, tzinfo=UTC)
KIB, MIB = 1 << 10, 1 << 20
DRIVE = "sim:sata-dc,seed=2,scale=1024"
CAMPAIGN = """name = "fast"
repeats = 2
order = "listed"
precondition = "{form}"
{keys}

[[experiment]]
name = "next capacity"
pattern = "random"
read = {read}
block_size = "4KiB"
queue_depth = 32
amount = "{amount}"
"""


def campaign(folder: Path, form: str = "fast-random", keys: str = "", read: int = 0, amount: str = "894MiB") -> Path:
    file = folder / "fast.toml"
    file.write_text(CAMPAIGN.format(form=form, keys=keys, read=read, amount=amount), encoding="utf-8")
    return file


def run_of(
    folder: Path, *, form: str = "fast-random", keys: str = "", observer: NullObserver | None = None
) -> RunRecord:
    measure(profile_request([DRIVE], campaign(folder, form, keys)), folder / "run", observer, NOW)
    return load_run(folder / "run")


def iops(cell: CellRecord) -> float:
    return cell.operations[Operation.WRITE].count / (cell.measured_ns or 1)


def write_amplification(before: CellRecord, after: CellRecord) -> float:
    host, media = [], []
    for cell in (before, after):
        health = cell.drives[0].health
        assert health.host_written_bytes is not None
        assert health.media_written_bytes is not None
        host.append(health.host_written_bytes)
        media.append(health.media_written_bytes)
    return (media[1] - media[0]) / (host[1] - host[0])


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """A small simulated drive after fast preconditioning, written for two more capacities."""
    return run_of(tmp_path_factory.mktemp("fast"), keys='over_provisioning = "14.5%"')


def test_a_drive_is_in_steady_state_after_its_flash_and_the_spare_part_were_written(fast: RunRecord) -> None:
    (write,) = fast.preparation
    assert write.workload.pattern == FastRandom(145)
    assert write.operations[Operation.WRITE].bytes == pytest.approx(1.29 * fast.header.plan.span_bytes, rel=1e-4)
    one, other = fast.cells
    assert iops(one) == pytest.approx(iops(other), rel=0.01)
    assert write_amplification(write, one) == pytest.approx(write_amplification(one, other), rel=0.01)


def test_it_is_the_state_after_long_preconditioning(fast: RunRecord, tmp_path: Path) -> None:
    long = run_of(tmp_path, form="random", keys="precondition_capacities = 4")
    assert [each.order for each in long.preparation] == [-1, 0]
    assert iops(fast.cells[0]) == pytest.approx(iops(long.cells[1]), rel=0.03)
    found = write_amplification(fast.preparation[-1], fast.cells[0])
    assert found == pytest.approx(write_amplification(*long.cells), rel=0.03)


class BrokenOff(NullObserver):
    """Interrupts a run during its preconditioning, or after it."""

    def __init__(self, *, within: bool) -> None:
        self._within = within

    def interval(self, interval: object) -> None:  # noqa: ARG002 - any
        """Interrupts during the first write."""
        if self._within:
            raise KeyboardInterrupt

    def cell_finished(self, record: CellRecord) -> None:
        """Interrupts after the first write."""
        if record.is_preparation:
            raise KeyboardInterrupt


@pytest.mark.parametrize("within", [True, False])
def test_a_run_that_was_interrupted_is_resumed_to_the_record_of_an_unbroken_one(
    fast: RunRecord, tmp_path: Path, *, within: bool
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_of(tmp_path, keys='over_provisioning = "14.5%"', observer=BrokenOff(within=within))
    resume(tmp_path / "run", now=NOW)
    resumed = load_run(tmp_path / "run")
    assert (resumed.preparation, resumed.cells) == (fast.preparation, fast.cells)


def test_plan_and_report_state_what_was_assumed(fast: RunRecord, tmp_path: Path) -> None:
    assumed = "assumes an over-provisioning of 14.5 % and an empty drive"
    facts = {name: value for group in fact_groups(RunAnalysis(fast)) for name, value in group.facts}
    assert facts["initial target state"] == f"preconditioned by this run before the first trial ({assumed})"
    assert facts["preconditioning"].startswith(f"fast-random 4 KiB writes ({assumed}), 1.1")
    request = profile_request([DRIVE], campaign(tmp_path, keys='over_provisioning = "14.5%"\nslc_cache = "10MiB"'))
    ahead = preflight(request, NOW)
    lines = plan_lines(ahead, plan_cost(ahead.plan))
    assert "first     sequential 128 KiB writes of the first 10 MiB, 10 MiB" in lines
    assert any(line.startswith(f"then      fast-random 4 KiB writes ({assumed}), 1.1") for line in lines)


def test_every_block_of_a_file_is_written_and_verified(tmp_path: Path) -> None:
    file = tmp_path / "file.dat"
    keys = 'verify = true\nover_provisioning = "7%"'
    request = profile_request([str(file)], campaign(tmp_path, keys=keys, amount="1MiB"), size="16MiB")
    measure(request, tmp_path / "run", now=NOW)
    run = load_run(tmp_path / "run")
    assert [each.outcome for each in (*run.preparation, *run.cells)] == [Outcome.FINISHED] * 3
    blocks = 4096
    assert run.preparation[0].operations[Operation.WRITE].count == blocks + 2 * -(-blocks * 70 // 1000)
    checks = [check for each in run.cells for check in each.verification]
    assert checks
    for check in checks:
        assert check.steps_damaged == 0
        # Of two writes in flight to one block, either may be the last.
        assert check.steps_checked > 0.99 * blocks


def test_preconditioning_overwrites_an_existing_file_only_with_permission_even_before_reads(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_bytes(b"k" * 8 * MIB)
    request = profile_request([str(file)], campaign(tmp_path, read=100, amount="1MiB"))
    with pytest.raises(IosondeError, match="overwrite"):
        measure(request, tmp_path / "run", now=NOW)
    assert file.read_bytes() == b"k" * 8 * MIB
