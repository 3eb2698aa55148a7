"""Procedures with long stimuli on a simulated drive, scaled 1:300, from the run to the report."""

import re
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped] # It comes without types.
import pytest

from tests.commands import iosonde

DRIVE = "sim:sata-dc,scale=300"


def measured(name: str, folder: Path) -> tuple[Path, str]:
    """The directory of a finished run of a procedure, and what the run printed at its end."""
    run = folder / "run"
    done = iosonde("run", DRIVE, "--profile", name, "--seed", "1", "--out", str(run))
    assert done.returncode == 0, done.stderr
    assert "could not be created" not in done.stderr
    return run, " ".join(done.stdout.split())


def pages(run: Path, folder: Path) -> str:
    """The text of all pages of the report."""
    pdf = folder / "report.pdf"
    done = iosonde("report", str(run), "--pdf", str(pdf))
    assert done.returncode == 0, done.stderr
    found = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]
    assert all("SIMULATED, SCALED 1:300 IN CAPACITY AND TIME" in each for each in found)
    return " ".join(" ".join(found).split())


def test_throughput_recovers_from_random_writes_within_the_third_group(tmp_path: Path) -> None:
    run, printed = measured("pts-xsr", tmp_path)

    # The third group is 96 s long, and its level is that of the first, which was measured on a fresh drive.
    found = re.search(r"recovery time of the last change ([\d.]+) s", printed)
    assert found is not None
    assert 10 < float(found[1]) < 96

    text = pages(run, tmp_path)
    assert "Bandwidth against time" in text
    assert "Mean and maximum latency against time" in text
    assert f"{found[1]} s" in text


def test_a_composite_workload_has_operating_points_and_a_histogram_at_each(tmp_path: Path) -> None:
    run, printed = measured("pts-cbw", tmp_path)

    assert "steady state reached in round" in printed
    text = pages(run, tmp_path)
    for part in ("Demand variation", "Demand intensity", "IOPS by total outstanding I/O", "System CPU"):
        assert part in text
    for point in ("Maximum", "Middle", "Minimum"):
        assert f"{point}: IOPS of the pre-writes against time" in text
        assert f"{point}: response-time histogram" in text


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("pts-hir", ("IOPS of each wait state", "Return to baseline", "steady state reached in block")),
        ("pts-wsat", ("IOPS against drive fills", "IOPS against total bytes written", "Steady state")),
        ("sustained-write", ("Bandwidth against time", "Recovery after idle time")),
    ],
)
def test_the_report_of_a_long_procedure_has_its_charts_and_tables(
    name: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    run, printed = measured(name, tmp_path)

    text = f"{printed} {pages(run, tmp_path)}"

    for part in parts:
        assert part in text
