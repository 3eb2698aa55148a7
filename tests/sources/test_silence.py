"""The error and the hint when the engine does not respond."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from iosonde.sources.engine.process import EngineProcess, SilenceError


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    process = EngineProcess([sys.executable, "-c", "import sys; sys.stdin.read()"])
    try:
        yield process
    finally:
        os.kill(process.pid, signal.SIGCONT)
        process.kill()
        process.end()


def silence_of(engine: EngineProcess) -> SilenceError:
    with pytest.raises(SilenceError) as raised:
        engine.receive(0.05)
    return raised.value


def test_one_that_waits_for_its_target_leads_to_the_kernels_log(engine: EngineProcess) -> None:
    found = silence_of(engine)
    assert found.message == "the engine did not respond within 0 s"
    assert "dmesg" in found.hint


def test_one_that_a_signal_has_stopped_is_told_as_that(engine: EngineProcess) -> None:
    os.kill(engine.pid, signal.SIGSTOP)
    subprocess.run(["sleep", "0.1"], check=True)
    found = silence_of(engine)
    assert found.message == "the engine did not respond within 0 s: the process is stopped (by SIGSTOP or a debugger)"
    assert found.hint == "find out which program stops the engine, then run again"
