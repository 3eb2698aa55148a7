"""A stand-in for smartctl: a script that prints a report whose counters grow with each call."""

import json
from pathlib import Path
from typing import Any

from tests.machine.smart_reports import attribute, report, sata, statistics

MIB = 1 << 20
LBAS_PER_CALL = 100 * MIB // 512
"""What the drive counts between two calls: 100 MiB of the host, and one unit of 1 GiB on the media."""


def drive(calls: int) -> dict[str, Any]:
    """The report of a SATA drive at a call."""
    return sata(
        attribute(249, "NAND_Writes_1GiB", 500 + calls),
        ata_device_statistics=statistics(p1={0x18: 10**9 + calls * LBAS_PER_CALL}, p7={0x08: 4}),
    )


class StandinSmartctl:
    """The script in a folder. ``calls_max`` calls are answered with their own counters."""

    def __init__(self, folder: Path, *, refuses: str = "", calls_max: int = 60) -> None:
        folder.mkdir()
        self.folder = folder
        for number in range(1, calls_max + 1):
            printed = report(refuses, exit_status=2) if refuses else drive(number)
            (folder / f"report-{number}").write_text(json.dumps(printed))
        script = folder / "smartctl"
        script.write_text(
            '#!/bin/sh\nhere=$(dirname "$0")\necho "$@" >> "$here/told"\n'
            'cat "$here/report-$(wc -l < "$here/told" | tr -d \' \')"\n'
        )
        script.chmod(0o755)

    @property
    def told(self) -> list[str]:
        """The arguments of each call."""
        told = self.folder / "told"
        return told.read_text().splitlines() if told.exists() else []
