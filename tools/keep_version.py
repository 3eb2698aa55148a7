"""Stores examples of the current schema version, to test later versions with them.

    python -m tools.keep_version

writes ``tests/fixtures/schemas/vN.json`` (the fields of all stored records) and ``tests/fixtures/runs/vN-all-frames``
(a run with frames of every kind). Existing examples are never replaced, because users may have runs of that version.
docs/decisions/0023-refuse-runs-of-a-newer-version.md describes what to do when fields change.
"""

import json
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from iosonde.campaign import (
    NullObserver,
    ResumeConsent,
    RunRequest,
    TargetRequest,
    find_remaining,
    measure_to_directory,
    preflight,
    resume,
)
from iosonde.campaign.verifying import verify_later
from iosonde.machine.local_host import LocalHost
from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.records import (
    SCHEMA_VERSION,
    Aim,
    CellPlan,
    CellTurn,
    IntervalRecord,
    Outcome,
    Plan,
    ProcedureStart,
    RunHeader,
    RunRecord,
)
from iosonde.store import RunDirectory, load_run
from iosonde.store.frame_forms import FORMS
from iosonde.store.frame_stream import decode
from iosonde.store.frames import PREFIX, Frame, encode
from iosonde.store.header import header_text, load_header
from iosonde.vocabulary import EngineChoice, PurgeState

FIXTURES: Final = Path(__file__).resolve().parents[1] / "tests/fixtures"
SCHEMAS: Final = FIXTURES / "schemas"
RUNS: Final = FIXTURES / "runs"
TARGET_BYTES: Final = 16 << 20
# Descriptions for users, which do not affect validation.
_WORDS: Final = frozenset({"description", "title", "examples", "$comment"})
_INTERRUPTED_IN: Final = 4
_BUDGET_NS: Final = 2 * 10**9
_CAMPAIGN: Final = """
name = "all-frames"
repeats = 3
warmup = "10ms"
duration = "100ms"
verify = true
[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "64KiB"
queue_depth = 1
rate = 300
[[experiment]]
name = "writes"
pattern = "sequential"
read = 50
block_size = "64KiB"
queue_depth = 1
sync = "fdatasync"
rate = 100
"""


def stored_schema() -> dict[str, Any]:
    """The fields of all stored records: their types, values and defaults, without descriptions."""
    forms = [("run.json", TypeAdapter[Any](RunHeader)), *((kind.name, form) for kind, form in FORMS.items())]
    schemas, shared = TypeAdapter.json_schemas([(name, "validation", form) for name, form in forms])
    found = {
        "kinds": {kind.name: kind.value for kind in FORMS},
        "forms": {name: schemas[name, "validation"] for name, _ in forms},
        "defs": shared["$defs"],
    }
    bare: dict[str, Any] = _bare(found)
    return bare


def _bare(schema: Any) -> Any:  # noqa: ANN401 - any part of a schema
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    # A field can have one of these names. Its value is then a schema and not a text.
    return {
        key: _bare(value)
        for key, value in schema.items()
        if key not in _WORDS or (key != "examples" and not isinstance(value, str))
    }


class _Impatient(NullObserver):
    """Interrupts a run within one of its cells."""

    def __init__(self) -> None:
        self._cells = 0

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:  # noqa: ARG002 - every cell counts
        """Counts the cells."""
        self._cells += 1

    def interval(self, interval: IntervalRecord) -> None:  # noqa: ARG002 - whatever it holds
        """Interrupts the run."""
        if self._cells > _INTERRUPTED_IN:
            raise KeyboardInterrupt


def _write_run(folder: Path, run: Path) -> None:
    """Writes a run that was interrupted, resumed, and read back."""
    file, now = folder / "iosonde.dat", datetime.now(UTC)
    file.write_bytes(bytes(TARGET_BYTES))
    campaign = read_campaign(_CAMPAIGN, "all-frames.toml")

    def plan(ground: TargetInfo) -> Plan:
        return campaign_plan(
            campaign, ground, quick=False, seed=7, aim=Aim(precision_percent=0.1, budget_ns=_BUDGET_NS)
        )

    target = TargetRequest(words=(str(file),), size_bytes=None, overwrite=True, buffered=True, writes=True, quick=False)
    request = RunRequest(
        host=LocalHost(), target=target, engine=EngineChoice.PSYNC, plan=plan, command=("iosonde", "run", "/srv/data")
    )
    try:
        measure_to_directory(request, preflight(request, now), run, _Impatient(), now)
    except KeyboardInterrupt:
        left = find_remaining(run, LocalHost(), failed_again=False)
        resume(run, left, NullObserver(), now, ResumeConsent(overwrite=True))
    verify_later(run, LocalHost(), (), lambda _target, _bytes: None, now)
    with RunDirectory(run).reopen_journal() as journal:
        # A campaign has no procedures. Readers must know this frame in any run.
        journal.procedure(ProcedureStart(procedure="none", attempt=1, order=1, purge=PurgeState.SKIPPED))


def _is_whole(run: RunRecord) -> bool:
    """Whether every cell has finished. On a busy host, no operation may complete in the few milliseconds of a cell."""
    return all(cell.outcome is Outcome.FINISHED for cell in run.cells)


def _keep_run(to: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sys.argv = ["iosonde", "resume", "run"]
        while not (folder / "run").exists() or not _is_whole(load_run(folder / "run")):
            shutil.rmtree(folder / "run", ignore_errors=True)
            _write_run(folder, folder / "run")

        def elsewhere(data: bytes) -> bytes:
            return data.replace(place.encode(), b"/srv/data")

        to.mkdir(parents=True)
        header = load_header(folder / "run").model_dump_json().encode()
        text = header_text(RunHeader.model_validate_json(elsewhere(header)))
        (to / "run.json").write_text(text, encoding="utf-8")
        data = (folder / "run/journal").read_bytes()
        frames = [each for each in decode(data) if isinstance(each, Frame)]
        kept = b"".join(encode(frame.kind, elsewhere(frame.payload)) for frame in frames)
        (to / "journal").write_bytes(data[: PREFIX.size] + kept)


def main() -> int:
    """Stores the schema and a run of this version, unless they exist."""
    schema, run = SCHEMAS / f"v{SCHEMA_VERSION}.json", RUNS / f"v{SCHEMA_VERSION}-all-frames"
    if not schema.exists():
        schema.parent.mkdir(exist_ok=True)
        schema.write_text(json.dumps(stored_schema(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if not run.exists():
        _keep_run(run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
