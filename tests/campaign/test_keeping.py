"""A record is written to the journal before it is analysed."""

from pathlib import Path

import pytest

from iosonde.campaign import NullObserver
from iosonde.records import CellRecord, Outcome, WithinRepeat
from iosonde.store import load_run
from iosonde.store.frame_stream import decode
from iosonde.store.frames import Frame, Kind
from iosonde.store.names import JOURNAL_NAME
from tests.campaign_runs import measure, profile_request

TEXT = """
name = "one"
repeats = 2
warmup = "100ms"
duration = "6s"
[[experiment]]
name = "one"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 4
"""


class Witness(NullObserver):
    """Records which analyses failed, and why."""

    def __init__(self) -> None:
        self.failed: list[tuple[int, str]] = []

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        self.failed.append((record.order, str(error)))


def measured(folder: Path, observer: NullObserver, text: str = TEXT, target: str = "sim:mmc,seed=5") -> Path:
    (folder / "one.toml").write_text(text, encoding="utf-8")
    measure(profile_request([target], folder / "one.toml"), folder / "run", observer)
    return folder / "run"


def kinds(run: Path) -> list[Kind]:
    return [each.kind for each in decode((run / JOURNAL_NAME).read_bytes()) if isinstance(each, Frame)]


def test_an_analysis_that_fails_costs_neither_its_cell_nor_those_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: CellRecord) -> WithinRepeat | None:
        raise ZeroDivisionError("float division by zero")

    monkeypatch.setattr("iosonde.analysis.within_repeat.within_repeat", broken)
    witness = Witness()
    run = load_run(measured(tmp_path, witness))
    assert witness.failed == [(order, "float division by zero") for order in (1, 2)]
    assert run.finished
    assert [cell.within for cell in run.cells] == [None, None]
    assert all(cell.operations for cell in run.cells)


def test_a_cell_is_in_the_journal_before_what_its_intervals_say_of_it(tmp_path: Path) -> None:
    run = measured(tmp_path, NullObserver(), TEXT.replace("repeats = 2", 'precision = "5%"\nbudget = "60s"'))
    found = [kind for kind in kinds(run) if kind in {Kind.CELL, Kind.WITHIN}]
    assert found[:2] == [Kind.CELL, Kind.WITHIN]
    assert all(cell.within is not None for cell in load_run(run, intervals=False).cells)


def test_an_interruption_while_it_is_analysed_leaves_the_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: CellRecord) -> WithinRepeat | None:
        raise KeyboardInterrupt

    monkeypatch.setattr("iosonde.analysis.within_repeat.within_repeat", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path, NullObserver())
    run = load_run(tmp_path / "run")
    assert len(run.cells) == 1
    assert not run.finished


STALLING = """
kind = "queueing"
title = "A queue that stands still"
about = "One server that does nothing from the twelfth second of the cell on."
leaves_out = ["All else."]
size_bytes = 16_777_216
servers = 1
service = "constant"
service_ns = 1_000_000

[sources]
size_bytes = "Chosen."
servers = "Chosen."
service = "Chosen."
service_ns = "Chosen."

[[faults]]
kind = "stall"
from_ns = {from_ns}
until_ns = {until_ns}
"""


def test_a_drive_that_stands_still_for_most_of_a_repeat_keeps_its_cell(tmp_path: Path) -> None:
    # Preconditioning takes 16 operations of 1 ms. Thirty batches of 45 values leave out the first fifteen values, and
    # all operations lie in these.
    from_ns, until_ns = 12_100_000_000, 45_117_000_000
    (tmp_path / "stalling.toml").write_text(STALLING.format(from_ns=from_ns, until_ns=until_ns), encoding="utf-8")
    text = TEXT.replace("6s", "45s").replace("repeats = 2", "repeats = 1")
    witness = Witness()
    run = load_run(measured(tmp_path, witness, text, f"sim:{tmp_path / 'stalling.toml'}"))
    (cell,) = run.cells
    still = [interval for interval in cell.intervals if not interval.operations]
    assert len(still) > 30
    assert cell.outcome is Outcome.FINISHED
    assert not witness.failed
    assert cell.within is None
