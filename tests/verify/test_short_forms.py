"""The comparison of short forms with full ones: what counts as different, and one test on a small drive."""

from pathlib import Path

import pytest

from verify.forms import Form, Job, form_of
from verify.short_forms import compared, differences

CELL = ("rounds", "65/35", "8 KiB", "4 x 32")


def forms(*iops: float, device_ns: int = 100) -> list[Form]:
    return [Form({(*CELL, "IOPS"): each}, device_ns) for each in iops]


def test_the_medians_over_seeds_are_compared() -> None:
    found = differences("iops", "sata-dc", forms(90, 100, 900), forms(102, 1, 5000, device_ns=9), scale=8)
    assert found.kinds["IOPS"].largest == pytest.approx(0.02)
    assert (found.seeds, found.time_share, found.missed) == (3, 0.09, [])


def test_a_figure_beyond_three_percent_and_too_long_a_time_are_named() -> None:
    found = differences("iops", "sata-dc", forms(100), forms(104, device_ns=11), scale=8)
    assert (found.kinds["IOPS"].cells, found.kinds["IOPS"].beyond) == (1, 1)
    assert found.kinds["IOPS"].largest_of == "rounds 65/35 8 KiB 4 x 32"
    assert found.missed == ["IOPS", "device time"]


def test_a_figure_that_one_form_lacks_is_not_compared() -> None:
    found = differences("iops", "sata-dc", forms(100), [Form({}, 10)], scale=8)
    assert found.kinds == {}


def test_on_a_drive_without_a_state_the_short_form_has_the_figures_of_the_full_one() -> None:
    found = compared("lat", "fixed", seeds=1, scale=1)
    assert found.time_share < 0.2
    assert {kind: each.beyond for kind, each in found.kinds.items()} == dict.fromkeys(found.kinds, 0)


def test_a_store_has_the_figures_of_a_run_which_is_not_repeated(tmp_path: Path) -> None:
    job = Job("fixed", "lat", "pts-like", 1, 300)
    first = form_of(job, tmp_path)
    assert first.figures
    file = tmp_path / job.file_name
    file.write_text(file.read_text().replace(f'"device_ns": {first.device_ns}', '"device_ns": 7'))
    assert form_of(job, tmp_path) == Form(first.figures, 7)
