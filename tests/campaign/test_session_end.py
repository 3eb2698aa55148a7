"""The facts of hosts and devices are read again at the end of every run, resumption and probe."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from iosonde.campaign import (
    NullObserver,
    RunRequest,
    TargetRequest,
    measure_in_memory,
    measure_to_directory,
    preflight,
)
from iosonde.machine.local_host import LocalHost
from iosonde.records import DeviceFacts, HostFacts, RunRecord
from iosonde.store import load_run
from iosonde.vocabulary import EngineChoice
from tests.builders import target_facts
from tests.campaign_runs import Interrupting, rest_of, resume
from tests.stories.short_runs import short_plan

SIZE_BYTES = 16 << 20


class ChangingHost(LocalHost):
    """A host whose facts differ at each call. With ``loses_device``, its device is gone after the first call."""

    def __init__(self, *, loses_device: bool = False) -> None:
        self._loses_device = loses_device
        self.asked = 0
        self.devices = 0

    def facts(self) -> HostFacts:
        self.asked += 1
        return super().facts().model_copy(update={"governor": f"governor {self.asked}"})

    def device(self, path: str) -> DeviceFacts | None:  # noqa: ARG002 - whatever it lies on
        self.devices += 1
        if self._loses_device and self.devices > 1:
            raise OSError(19, "No such device")
        device = target_facts().device
        assert device is not None
        return device.model_copy(update={"firmware": f"firmware {self.devices}"})


def request(host: LocalHost, word: str) -> RunRequest:
    target = TargetRequest(
        (word,), SIZE_BYTES, overwrite=False, buffered=not word.startswith("sim:"), writes=True, quick=False
    )
    return RunRequest(host=host, target=target, engine=EngineChoice.AUTO, plan=short_plan)


def measured(host: LocalHost, folder: Path, observer: NullObserver | None = None) -> RunRecord:
    (folder / "target").mkdir()
    now, requested = datetime.now(UTC), request(host, str(folder / "target"))
    ahead = preflight(requested, now)
    host.requested = host.devices = 0  # type: ignore[attr-defined]
    measure_to_directory(requested, ahead, folder / "run", observer or NullObserver(), now)
    return load_run(folder / "run")


def firmware(device: DeviceFacts | None) -> str:
    return "none" if device is None else device.firmware


def test_the_facts_at_the_end_of_a_run_stand_beside_those_at_its_start(tmp_path: Path) -> None:
    run = measured(ChangingHost(), tmp_path)
    assert run.finished
    assert run.end is not None
    assert (run.header.host.governor, run.end.hosts[0].governor) == ("governor 1", "governor 2")
    assert [firmware(run.header.target.device), *map(firmware, run.end.devices)] == ["firmware 1", "firmware 2"]
    assert datetime.fromisoformat(run.header.created_at) <= datetime.fromisoformat(run.end.ended_at)


def test_a_device_that_can_not_be_read_at_the_end_is_unknown_and_the_run_is_whole(tmp_path: Path) -> None:
    run = measured(ChangingHost(loses_device=True), tmp_path)
    assert run.finished
    assert run.end is not None
    assert run.end.devices == (None,)


def test_an_interrupted_session_has_no_end_and_the_resumption_that_finishes_the_run_has_one(tmp_path: Path) -> None:
    host = ChangingHost()
    with pytest.raises(KeyboardInterrupt):
        measured(host, tmp_path, Interrupting())
    assert load_run(tmp_path / "run").end is None
    resume(tmp_path / "run", rest_of(tmp_path / "run", host))
    run = load_run(tmp_path / "run")
    assert run.end is not None
    assert run.end.hosts[0].governor == f"governor {host.asked}"
    assert run.sessions[0].host.governor == f"governor {host.asked - 1}"


def test_a_probe_knows_its_end_as_well() -> None:
    host, now = ChangingHost(), datetime.now(UTC)
    requested = request(host, "sim:mmc,seed=5")
    run = measure_in_memory(requested, preflight(requested, now), NullObserver(), now)
    assert run.end is not None
    assert (len(run.end.hosts), run.end.devices) == (1, (None,))
