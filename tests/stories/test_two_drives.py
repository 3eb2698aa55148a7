"""A standard procedure on two drives at once: its figures are totals, and those of each drive are there as well."""

from pathlib import Path

from tests.commands import iosonde


def test_the_report_says_that_figures_are_totals_and_has_those_of_each_drive(tmp_path: Path) -> None:
    drives = [f"sim:sata-dc,seed={seed},scale=600" for seed in (1, 2)]
    done = iosonde("run", "--no-report", *drives, "--profile", "pts-lat", "--out", "run", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = iosonde("report", "run", "--markdown", "report.md", "--html", "report.html", folder=tmp_path)
    assert told.returncode == 0, told.stderr
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    before, _, table = text.partition("\n## Results per target")

    assert "TOTALS OF 2 TARGETS" in before.upper()
    assert "1 job × QD 1 on each of 2 targets" in before
    assert "GB each" in before
    lines = table.partition("\n## ")[0].splitlines()
    rows = [line.split("|")[1:3] for line in lines if line.startswith("| lat-random-write-4KiB")]
    assert {target.strip() for _, target in rows} == {"1", "2"}
    assert "Results by target (" in (tmp_path / "report.html").read_text(encoding="utf-8")
