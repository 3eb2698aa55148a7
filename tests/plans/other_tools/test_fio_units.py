"""fio's numbers: read here as fio itself reads them."""

import json
import shutil
import subprocess

import pytest

from iosonde.errors import UsageError
from iosonde.plans.other_tools.fio_units import fio_number, fio_switch, fio_time_ns

NEEDS_FIO = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
SIZES = ["4096", "4k", "4K", "4kb", "4KB", "4ki", "4kib", "4KiB", "8kb", "1m", "1M", "1mib", "0x1000", "512b"]


def measured_by_fio(*options: str) -> dict[str, int]:
    """What fio read of nothing, with a block size or a time of its own."""
    words = ["fio", "--name=x", "--ioengine=null", "--size=4m", "--rw=read", "--output-format=json", *options]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found: dict[str, int] = json.loads(said[said.index("{") :])["jobs"][0]["read"]
    return found


@NEEDS_FIO
@pytest.mark.parametrize("kb_base", [1024, 1000])
@pytest.mark.parametrize("text", SIZES)
def test_a_size_is_what_fio_takes_it_for(text: str, kb_base: int) -> None:
    found = measured_by_fio(f"--kb_base={kb_base}", f"--bs={text}")
    assert found["io_bytes"] / found["total_ios"] == fio_number(text, "bs", kb_base)


@NEEDS_FIO
@pytest.mark.parametrize("text", ["1", "1s", "300ms", "300msec", "300000us", "300000usec"])
def test_a_time_is_what_fio_takes_it_for(text: str) -> None:
    found = measured_by_fio("--bs=4k", "--time_based", f"--runtime={text}")
    expected_ms = fio_time_ns(text, "runtime") / 10**6
    # A busy machine ends fio later; a wrong unit would be off by a factor of 60 or 1000.
    assert expected_ms - 60 <= found["runtime"] <= 2 * expected_ms + 2000


def test_a_time_without_a_unit_is_in_what_its_option_says() -> None:
    assert fio_time_ns("60", "runtime") == 60 * 10**9
    assert fio_time_ns("60", "thinktime", 1000) == 60_000
    assert fio_time_ns("2m", "runtime") == 120 * 10**9


@pytest.mark.parametrize("text", ["1.5k", "4x", "4kx", "50%", "", "k", "-1", "(4*1024)", "$mb_memory", "4z", "9" * 50])
def test_what_fio_would_take_for_another_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        fio_number(text, "bs", 1024)


@pytest.mark.parametrize("text", ["0.5", "1sec", "1x", "0x10", "1e0", ""])
def test_what_fio_would_take_for_another_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        fio_time_ns(text, "runtime")


def test_a_switch_without_a_value_is_on() -> None:
    assert [fio_switch(text, "direct") for text in ("", "1", "0")] == [True, True, False]
    with pytest.raises(UsageError, match="is not 0 or 1"):
        fio_switch("yes", "direct")
