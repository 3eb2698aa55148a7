"""A run that an older iosonde started can be resumed. A run that needs a newer iosonde is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iosonde.campaign import NullObserver
from iosonde.errors import NewerError
from iosonde.records import SCHEMA_VERSION
from iosonde.store import load_run
from iosonde.store.frames import MAGIC, PREFIX, prefix
from tests.campaign.test_time_left import ADAPTIVE, FIXED, run_sweep
from tests.campaign_runs import Interrupting, rest_of, resume
from tests.forged import forge


def made_older(run: Path, version: int) -> None:
    """Gives the run an older schema version, as if that version had written it. Newer fields have their defaults."""
    forge(run, lambda header: header.update(schema_version=version))
    data = (run / "journal").read_bytes()
    (run / "journal").write_bytes(prefix(version) + data[PREFIX.size :])


@pytest.mark.parametrize("text", [FIXED, ADAPTIVE], ids=["fixed", "adaptive"])
@pytest.mark.parametrize("torn", [0, 3])
def test_an_older_run_goes_on_to_what_it_would_have_become(text: str, torn: int, tmp_path: Path) -> None:
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    whole = load_run(run_sweep(text, tmp_path / "whole", NullObserver()))
    with pytest.raises(KeyboardInterrupt):
        run_sweep(text, tmp_path / "cut", Interrupting(7, within=True))
    run = tmp_path / "cut/run"
    made_older(run, 1)
    data = (run / "journal").read_bytes()
    kept = data[: len(data) - torn]
    (run / "journal").write_bytes(kept)
    for _ in range(2):
        # Reading the run or its remaining work changes no file.
        load_run(run)
        rest = rest_of(run)
        assert (run / "journal").read_bytes() == kept
        assert json.loads((run / "run.json").read_text(encoding="utf-8"))["schema_version"] == 1
    resume(run, rest)
    now = load_run(run)
    assert now.finished
    assert now.damage is None
    assert [(cell.cell, cell.seed, cell.operations) for cell in now.cells] == [
        (cell.cell, cell.seed, cell.operations) for cell in whole.cells
    ]
    # The header gets the new version, so that an older iosonde refuses the run. The old part of the journal is kept.
    assert json.loads((run / "run.json").read_text(encoding="utf-8"))["schema_version"] == SCHEMA_VERSION
    assert (run / "journal").read_bytes().startswith(MAGIC + (1).to_bytes(4, "little"))


NEWER: dict[str, Callable[[dict[str, Any]], None]] = {
    "the engine 'quantum'": lambda header: header.update(engine_asked="quantum"),
    "the model kind or some model keys": lambda header: header["target"]["simulation"]["table"].update(kind="tape"),
    "the model kind or some model keys of the simulated drive 'mmc'": lambda header: header["target"]["simulation"][
        "table"
    ].update(colour="red"),
}


@pytest.mark.parametrize("said", NEWER)
def test_a_run_that_can_be_read_but_not_gone_on_with_is_left_as_it_is(said: str, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_sweep(FIXED, tmp_path, Interrupting(2))
    run = tmp_path / "run"
    forge(run, NEWER[said])
    before = {each.name: each.read_bytes() for each in run.iterdir()}
    assert len(load_run(run).cells) == 2
    with pytest.raises(NewerError) as caught:
        rest_of(run)
    assert "was written by a newer iosonde" in caught.value.message
    assert said in caught.value.message
    assert {each.name: each.read_bytes() for each in run.iterdir()} == before
