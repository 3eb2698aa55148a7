"""What a key of a workload lacks, with the file to touch."""

import inspect
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from typer.main import get_command

import iosonde
from iosonde.cli.main import app
from iosonde.errors import UsageError
from iosonde.plans import campaign_schema
from iosonde.plans.campaign_file import ExperimentTable
from iosonde.records import CellPlan, CellTurn, Engine, Plan, Timing, Workload
from iosonde.sources.engine.job import job_of
from iosonde.sources.fio import check_fio_can
from iosonde.sources.fio.job import Setup, arguments_of
from iosonde.sources.source import IoPath
from iosonde.vocabulary import Poll
from iosonde.workload_keys import EXPERIMENT_KEYS, PROBE_KEYS, TIMING_KEYS, WORKLOAD_KEYS, Key
from tests.house.asked_workloads import SPAN_BYTES, pair_of
from tests.house.checkout import ROOT

DESCRIPTION: Final = "src/iosonde/workload_keys/keys.py"
RECORD: Final = "src/iosonde/records/workload.py"
FLAGS: Final = "src/iosonde/cli/workload_options.py"
ARGUMENTS: Final = "src/iosonde/api/measuring.py"
CAMPAIGN: Final = "src/iosonde/plans/campaign_file.py"
JOB: Final = "src/iosonde/sources/engine/job.py"
FIO: Final = "src/iosonde/sources/fio/limits.py or src/iosonde/sources/fio/job.py"
SCHEMA: Final = "docs/campaign.schema.json"
CAMPAIGNS: Final = "docs/campaigns.md"
COMMANDS: Final = "docs/reference/commands.md"
SETTINGS: Final = "docs/reference/settings.md"


def gaps(key: Key[Any]) -> list[str]:
    """Each place that should know a key and does not, as ``file: what it lacks``."""
    found = [*_of_record(key), *_of_probe(key), *_of_campaign(key), *_of_docs(key)]
    # While a key has no field, none can be asked for; its own gaps say so.
    lacking = [each for each in (*WORKLOAD_KEYS, *TIMING_KEYS) if list(_of_record(each))]
    return found if found or lacking else list(_of_sources(key))


def _of_record(key: Key[Any]) -> Iterator[str]:
    owner = Timing if key in TIMING_KEYS else Workload
    if key not in {*WORKLOAD_KEYS, *TIMING_KEYS}:
        yield f"{DESCRIPTION}: {key.name} stands neither in WORKLOAD_KEYS nor in TIMING_KEYS"
    if key.field not in owner.model_fields:
        yield f"{RECORD}: {owner.__name__} has no field {key.field}"


def _of_probe(key: Key[Any]) -> Iterator[str]:
    if not key.help:
        return
    if key not in PROBE_KEYS:
        yield f"{DESCRIPTION}: {key.name} has a help and stands not in PROBE_KEYS"
    option = _options().get(key.name)
    if option is None or (option.opts, option.help, option.default) != ([key.flag], key.help, key.default):
        yield f"{FLAGS}: `iosonde probe` has no {key.flag} with this help and this default"
    argument = inspect.signature(iosonde.probe).parameters.get(key.name)
    kind = key.kind.argument if key.default is not None else f"{key.kind.argument} | None"
    default = str(key.default) if key.kind.argument.startswith("str") and key.default is not None else key.default
    if argument is None or (inspect.formatannotation(argument.annotation), argument.default) != (kind, default):
        yield f"{ARGUMENTS}: probe() has no `{key.name}: {kind} = {default!r}`"


def _of_campaign(key: Key[Any]) -> Iterator[str]:
    if key.in_file is None:
        if not key.help:
            yield f"{DESCRIPTION}: {key.name} is neither a flag nor a key of an experiment"
        return
    if key not in EXPERIMENT_KEYS:
        yield f"{DESCRIPTION}: {key.name} has `in_file` and stands not in EXPERIMENT_KEYS"
    if key.name not in ExperimentTable.model_fields:
        yield f"{CAMPAIGN}: an experiment has no key {key.name}"


def _of_docs(key: Key[Any]) -> Iterator[str]:
    if key.help and f"| `{key.flag}` |" not in _section(COMMANDS, "## iosonde probe"):
        yield f"{COMMANDS}: no row for {key.flag} (`make docs` writes it)"
    if key.in_file is None:
        return
    published = json.loads(_text(SCHEMA))["$defs"]["ExperimentTable"]["properties"]
    if published.get(key.name) != campaign_schema()["$defs"]["ExperimentTable"]["properties"].get(key.name, {}):
        yield f"{SCHEMA}: {key.name} is not as the code has it (`make docs` writes it)"
    if f"| `{key.name}` |" not in _section(SETTINGS, "In each `[[experiment]]`"):
        yield f"{SETTINGS}: no row for {key.name} (`make docs` writes it)"
    if f"| `{key.name}` |" not in _section(CAMPAIGNS, "## Experiment keys"):
        yield f"{CAMPAIGNS}: no row for {key.name}"


def _of_sources(key: Key[Any]) -> Iterator[str]:
    pair = pair_of(key)
    one, other = ((cell.workload, cell.timing) for cell in (pair.one, pair.other))
    if one == other:
        yield f"{DESCRIPTION}: {key.name} fills no field"
    if key in WORKLOAD_KEYS and pair.one.cell == pair.other.cell:
        yield f"{DESCRIPTION}: {key.name} is not told in a cell's name (`in_name`)"
    if _job(pair.one) == _job(pair.other):
        yield f"{JOB}: the engine is not told of {key.name}"
    if _fio(pair.one) == _fio(pair.other):
        yield f"{FIO}: fio is neither told of {key.name} nor refuses it"


def _job(cell: CellPlan) -> object:
    return job_of(cell, CellTurn(order=1, cell=cell.cell, repeat=1, seed=1), IoPath(Engine.IO_URING), SPAN_BYTES)


def _fio(cell: CellPlan) -> object:
    """fio's arguments, or why it has none."""
    plan = Plan(profile="", quick=False, seed=1, repeats=1, span_bytes=SPAN_BYTES, cells=(cell,), turns=())
    try:
        check_fio_can(plan)
    except UsageError as error:
        return error.message.removeprefix(cell.cell)
    setup = Setup(("first", "second"), "io_uring", direct=True, poll=Poll.INTERRUPT, span_bytes=SPAN_BYTES)
    return arguments_of(cell, CellTurn(order=1, cell=cell.cell, repeat=1, seed=1), setup)


@cache
def _options() -> dict[str, Any]:
    probe: Any = dict(get_command(app).commands)["probe"]  # type: ignore[attr-defined]
    return {each.name: each for each in probe.params}


@cache
def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _section(name: str, head: str) -> str:
    """What stands below a heading or a lead, up to the next heading."""
    return _text(name).partition(f"\n{head}")[2].partition("\n## ")[0]
