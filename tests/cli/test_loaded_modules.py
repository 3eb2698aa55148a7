"""A report needs nothing that measures, so it does not load it: that takes as long as a third of the report's page."""

import subprocess
import sys
from pathlib import Path

from tests.lab_builder import lab_run
from tests.runs_on_disk import write_run

MEASURING = ("campaign", "plans", "sources", "machine")


def test_a_report_loads_no_module_that_measures(tmp_path: Path) -> None:
    run = write_run(lab_run(repeats=1, quick=True), tmp_path / "run")
    loaded = f"{{'iosonde.' + each for each in {MEASURING!r}}} & set(sys.modules)"
    check = (
        "import sys\nfrom iosonde.cli.main import app\n"
        f"app(['report', {str(run)!r}, '--html', {str(tmp_path / 'page.html')!r}], standalone_mode=False)\n"
        f"print('loaded:', sorted({loaded}))\n"
    )
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "loaded: []", found.stdout[-400:]
