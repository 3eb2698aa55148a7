"""docs/reference/settings.md: campaign keys, the environment, units and bounds."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iosonde.plans import campaign_schema, limits
from iosonde.units import BINARY, DECIMAL, DURATIONS_NS, format_duration, format_size
from iosonde.workload_keys import bounds
from tools.reference.markdown import code, page, table

_LEAD: Final = (
    "Everything that can be set but the options of [the commands](commands.md): the keys of a campaign file, the "
    "environment, and the bounds that hold for both. [campaigns.md](../campaigns.md) tells how a campaign is written."
)

ENVIRONMENT: Final = {
    "IOSONDE_FIO": "The fio that `--engine fio` starts. Where it is not set, fio is looked for on the `PATH`.",
    "IOSONDE_ENGINE": (
        "The engine's binary. Where it is not set, the engine is looked for beside the interpreter and where "
        "installers put programs."
    ),
    "IOSONDE_PAGER": "The command that `iosonde show` pages with on a terminal; empty or `cat` for none.",
    "PAGER": "The same, where `IOSONDE_PAGER` is not set; `less` where neither is.",
    "LESS": "What less is told; `FRX`, as git does, where it is not set: leave where all fits the screen.",
    "LV": "The same for lv; `-c` where it is not set.",
    "COLUMNS": "The width of what is printed, from 20 to 1,000. Where it is not set, a pipe or file gets 160 columns.",
    "SHELL": "The shell that `iosonde completion` is for, where none is named.",
    "XDG_DATA_HOME": "Where completion for bash and zsh is installed; `~/.local/share` where it is not set.",
    "XDG_CONFIG_HOME": "Where completion for fish is installed; `~/.config` where it is not set.",
    "XDG_STATE_HOME": (
        "Where files are noted that iosonde has made on file systems that keep no marks; `~/.local/state` where it is "
        "not set."
    ),
    "TERM": "On a terminal named `linux` bars and signs are plain ASCII, as in any output that is not UTF-8.",
    "OPENBLAS_NUM_THREADS": (
        "Set by iosonde to 1 where it is not set already: nothing here needs more, and where the system starts no more "
        "threads, the library ends the process."
    ),
    "PYDANTIC_DISABLE_PLUGINS": (
        "Set by iosonde to `__all__` where it is not set already: looking for plug-ins takes longer than `--help`."
    ),
}
"""Each variable of the environment that iosonde's own code reads or sets."""


def settings_page() -> str:
    """The text of the page."""
    schema = campaign_schema()
    experiment = schema["$defs"]["ExperimentTable"]
    parts = [
        "## Campaign files",
        "In the head of the file:",
        _keys(schema, schema["$defs"]),
        "In each `[[experiment]]`; a key that takes a list is a sweep:",
        _keys(experiment, schema["$defs"]),
        "## Environment",
        table(("variable", "meaning"), [(code(name), meaning) for name, meaning in ENVIRONMENT.items()]),
        "Colours follow the terminal; `NO_COLOR` turns them off.",
        "## Bounds",
        "What a plan may ask for, whether by option or by campaign file:",
        table(("what", "at least", "at most"), _bounds()),
        "## Units",
        "A size or a time carries one of these; a bare `K`, `M`, `G` or `T` is refused.",
        table(("unit", "means"), _units()),
    ]
    return page("Settings", _LEAD, parts)


def _keys(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    rows = []
    for key, about in schema["properties"].items():
        default = "needed" if key in needed else _default(about)
        rows.append((code(key), "; or ".join(_takes(about, definitions)), default, about["description"]))
    return table(("key", "takes", "default", "what it is"), rows)


def _default(about: Mapping[str, Any]) -> str:
    """What holds where the key is not given; where that stands elsewhere, the description says where."""
    value = about.get("default")
    if value is None:
        return "see there" if "default:" in about["description"].lower() else "none"
    one = value[0] if isinstance(value, list) else value
    return code(str(one).lower() if isinstance(one, bool) else str(one)) if one != "" else "empty"


def _takes(about: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    """What a value may be, in words: one or a list of them, numbers with bounds, words, or text."""
    choices = [each for each in about.get("anyOf", ()) if each.get("type") != "null"]
    if choices:
        for choice in choices:
            yield from _takes(choice, definitions)
        return
    if "$ref" in about:
        about = definitions[about["$ref"].rpartition("/")[2]]
    if about.get("type") == "array":
        yield "a list" if about["items"] != {"$ref": "#/$defs/ExperimentTable"} else "`[[experiment]]` tables"
    elif about.get("type") == "boolean":
        yield "true or false"
    elif "enum" in about:
        yield ", ".join(map(code, about["enum"]))
    elif "minimum" in about:
        yield f"{about['minimum']} to {about['maximum']}"
    elif "examples" in about:
        yield f"{about['$comment']}, such as {code(about['examples'][0])}"
    elif "pattern" in about:
        yield f"text that fits {code(about['pattern'])}"
    else:
        yield "text"


def _bounds() -> Iterator[tuple[str, str, str]]:
    least = format_size(bounds.SECTOR_BYTES)
    yield "block size", f"{least}, and a multiple of it", format_size(bounds.BLOCK_SIZE_BYTES_MAX)
    yield "queue depth of a job", "1", f"{bounds.QUEUE_DEPTH_MAX:,}"
    yield "jobs", "1", str(bounds.JOBS_MAX)
    yield "targets", "1", str(bounds.TARGETS_MAX)
    yield "repeats", "1", f"{limits.REPEATS_MAX:,}"
    yield "bytes in flight in one cell", "", format_size(limits.IN_FLIGHT_BYTES_MAX)
    yield (
        "measuring time of a cell",
        format_duration(bounds.DURATION_NS_MIN),
        format_duration(bounds.DURATION_NS_MAX),
    )
    yield "amount of a cell", least, format_size(bounds.AMOUNT_BYTES_MAX)


def _units() -> Iterator[tuple[str, str]]:
    for name, factor in {**BINARY, **DECIMAL}.items():
        yield code(name), "1 byte" if factor == 1 else f"{factor:,} bytes"
    for name, factor in DURATIONS_NS.items():
        yield code(name), f"{factor:,} ns"
