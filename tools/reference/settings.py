"""docs/reference/settings.md: campaign keys, the environment, units and bounds."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iosonde.plans import campaign_schema, limits
from iosonde.units import BINARY, DECIMAL, DURATIONS_NS, format_duration, format_size
from iosonde.workload_keys import bounds
from tools.reference.markdown import code, page, table

_LEAD: Final = (
    "All settings except the options of [the commands](commands.md): the keys of a campaign file, environment "
    "variables, and the limits of a plan. [campaigns.md](../campaigns.md) explains how to write a campaign file."
)

ENVIRONMENT: Final = {
    "IOSONDE_FIO": "Path of the fio binary for `--engine fio`. Default: `fio` on the `PATH`.",
    "IOSONDE_ENGINE": ("Path of the engine binary. Default: the binary installed with iosonde."),
    "IOSONDE_PAGER": "Pager for `iosonde show` on a terminal. Empty or `cat` disables paging.",
    "PAGER": "Pager if `IOSONDE_PAGER` is not set. Default: `less`.",
    "LESS": "Options for less. Default: `FRX`, as in git: less exits if the output fits on one screen.",
    "LV": "Options for lv. Default: `-c`.",
    "COLUMNS": "Output width, 20 to 1,000 columns. Default: the terminal width, or 160 columns for a pipe or file.",
    "SHELL": "Shell for `iosonde completion` if no shell is given.",
    "XDG_DATA_HOME": "Directory in which bash and zsh completion is installed. Default: `~/.local/share`.",
    "XDG_CONFIG_HOME": "Directory in which fish completion is installed. Default: `~/.config`.",
    "XDG_STATE_HOME": (
        "Directory for the list of files that iosonde created on file systems without extended attributes, the records "
        "of purges, and the settings of drives that a run changes. Default: `~/.local/state`."
    ),
    "TERM": "If `linux`, bars and symbols are plain ASCII, as in any output that is not UTF-8.",
    "OPENBLAS_NUM_THREADS": (
        "iosonde sets it to 1 if it is not set. More threads are not needed, and the library aborts the process if the "
        "system cannot start more threads."
    ),
    "PYDANTIC_DISABLE_PLUGINS": (
        "iosonde sets it to `__all__` if it is not set, because a search for plug-ins takes longer than `--help`."
    ),
}
"""The environment variables that iosonde's own code reads or sets."""


def settings_page() -> str:
    """The text of the page."""
    schema = campaign_schema()
    experiment = schema["$defs"]["ExperimentTable"]
    parts = [
        "## Campaign files",
        "At the top level of the file:",
        _keys(schema, schema["$defs"]),
        "In each `[[experiment]]` table. A list defines a sweep:",
        _keys(experiment, schema["$defs"]),
        "## Environment",
        table(("variable", "meaning"), [(code(name), meaning) for name, meaning in ENVIRONMENT.items()]),
        "Output is coloured if the terminal supports it. `NO_COLOR` disables colours.",
        "## Bounds",
        "Limits of a plan, for command-line options and campaign files:",
        table(("quantity", "minimum", "maximum"), _bounds()),
        "## Units",
        "Sizes and times need a unit. A bare `K`, `M`, `G` or `T` is rejected.",
        table(("unit", "value"), _units()),
    ]
    return page("Settings", _LEAD, parts)


def _keys(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    rows = []
    for key, about in schema["properties"].items():
        default = "required" if key in needed else _default(about)
        rows.append((code(key), "; or ".join(_takes(about, definitions)), default, about["description"]))
    return table(("key", "values", "default", "description"), rows)


def _default(about: Mapping[str, Any]) -> str:
    """The default of a key. If it depends on other settings, the description describes it."""
    value = about.get("default")
    if value is None:
        return "see description" if "default:" in about["description"].lower() else "none"
    one = value[0] if isinstance(value, list) else value
    return code(str(one).lower() if isinstance(one, bool) else str(one)) if one != "" else "empty"


def _takes(about: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    """The possible values of a key, in words: a list, bounds, choices, or a format."""
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
        yield f"string that matches {code(about['pattern'])}"
    else:
        yield "string"


def _bounds() -> Iterator[tuple[str, str, str]]:
    least = format_size(bounds.SECTOR_BYTES)
    yield "block size", f"{least} (multiples of it)", format_size(bounds.BLOCK_SIZE_BYTES_MAX)
    yield "queue depth per job", "1", f"{bounds.QUEUE_DEPTH_MAX:,}"
    yield "jobs", "1", str(bounds.JOBS_MAX)
    yield "targets", "1", str(bounds.TARGETS_MAX)
    yield "repeats", "1", f"{limits.REPEATS_MAX:,}"
    yield "bytes in flight per cell", "", format_size(limits.IN_FLIGHT_BYTES_MAX)
    yield (
        "measurement time of a cell",
        format_duration(bounds.DURATION_NS_MIN),
        format_duration(bounds.DURATION_NS_MAX),
    )
    yield "amount of a cell", least, format_size(bounds.AMOUNT_BYTES_MAX)


def _units() -> Iterator[tuple[str, str]]:
    for name, factor in {**BINARY, **DECIMAL}.items():
        yield code(name), "1 byte" if factor == 1 else f"{factor:,} bytes"
    for name, factor in DURATIONS_NS.items():
        yield code(name), f"{factor:,} ns"
