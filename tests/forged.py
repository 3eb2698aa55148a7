"""Changes run.json after a run and corrects its checksum."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from iosonde.store.header import CHECKSUM_SINCE, checksum_of


def forge(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Applies ``change`` to the header in run.json of a run directory."""
    header = json.loads((run / "run.json").read_text(encoding="utf-8"))
    header.pop("checksum", None)
    change(header)
    (run / "run.json").write_text(forged_text(header), encoding="utf-8")


def forged_text(header: dict[str, Any]) -> str:
    """The text of run.json for this header, with a valid checksum if its schema version has one."""
    version = header.get("schema_version")
    if not isinstance(version, int) or version < CHECKSUM_SINCE:
        return json.dumps(header)
    rest = json.dumps({key: value for key, value in header.items() if key != "schema_version"})[1:]
    return f'{{\n "schema_version": {version},\n "checksum": "{checksum_of(version, rest)}",{rest}'
