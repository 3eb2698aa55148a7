"""Parses a campaign file into a checked campaign. An error has one line with its place in the file and its reason."""

import difflib
import re
from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import CampaignTable, ExperimentTable
from iosonde.plans.limits import CAPACITIES_MAX, REPEATS_MAX
from iosonde.plans.other_tools.hints import key_hint
from iosonde.plans.validation_errors import first_validation_error, line_of_key, load_tables, lower_first, shown
from iosonde.workload_keys import EXPERIMENT_KEYS, Whole

_BOUNDS: Final = {
    **{key.name: key.kind.bounds for key in EXPERIMENT_KEYS if isinstance(key.kind, Whole)},
    "repeats": f"1 to {REPEATS_MAX}",
    "precondition_capacities": f"1 to {CAPACITIES_MAX}",
}
# A key that is almost one of ours is a typing error, even if another tool has it (blocksize).
SLIP_RATIO: Final = 0.9
# A key that is less similar to ours is another word.
NEAR_RATIO: Final = 0.5
_SHORT: Final = {"qd": "queue_depth", "bs": "block_size"}
Place = tuple[int | str, ...]


def read_campaign(text: str, file: str) -> CampaignTable:
    """The campaign that a file describes. Raises UsageError with file, line, key, value, range and nearest key."""
    found = load_tables(text, file, "experiment", "see examples/ for complete files")
    try:
        return CampaignTable.model_validate(found)
    except ValidationError as error:
        details = first_validation_error(error, lambda place: _line_of(text, place))
        place: Place = details["loc"]
        line = _line_of(text, place if _key_of(place) else (*place, str(details.get("ctx", {}).get("key", ""))))
        if details["type"] == "extra_forbidden":
            raise _unknown_key(f"{file}:{line}", _key_of(place), place, details["input"]) from error
        raise campaign_error(details, file, line) from error


def campaign_error(details: ErrorDetails, file: str, line: int) -> UsageError:
    """The error for a missing key or a wrong value in a campaign file."""
    place: Place = details["loc"]
    context: dict[str, Any] = details.get("ctx", {})
    key = _key_of(place) or str(context.get("key", ""))
    at = f"{file}:{line}"
    kind = details["type"]
    if kind == "missing":
        return UsageError(f"{at}: {_table_of(place)} has no {key}", f"add {_EXAMPLES.get(key, key)}")
    if kind == "agree":
        return UsageError(f"{at}: {details['msg']}", str(context["hint"]))
    if kind == "twice":
        return UsageError(f"{at}: {key} lists {details['msg']} twice", str(context["hint"]))
    value = shown(details["input"])
    return UsageError(
        f"{at}: {key} = {value} {_reason(kind, key, details)}", _hint(kind, key, context, details["input"])
    )


# The words of other tools.
_MEANT: Final = {
    "fsync": "fdatasync",
    "rand": "random",
    "seq": "sequential",
    "sprandom": "fast-random",
    "wipc": "independent",
    "zero": "zeros",
}
_EXAMPLES: Final = {
    **{
        key.name: f"{key.name} = {key.in_file.example}"
        for key in EXPERIMENT_KEYS
        if key.in_file and key.in_file.example
    },
    "name": 'name = "mine"',
    "experiment": "an [[experiment]] table in double brackets, followed by its keys, or a [[procedure]] table",
}


def _reason(kind: str, key: str, details: ErrorDetails) -> str:
    if kind in {"greater_than_equal", "less_than_equal"}:
        return f"is not in the range {_BOUNDS[key]}" if key in _BOUNDS else "is out of range"
    if kind == "enum":
        return f"is not {details['ctx']['expected']}"
    if kind in {"int_type", "int_from_float"}:
        return "is not a whole number"
    if kind == "string_pattern_mismatch":
        return "is not a valid name (letters, digits, dots, dashes and underscores)"
    if kind == "too_short":
        return "is empty"
    return details["msg"] if kind in {"quantity", "range"} else lower_first(details["msg"])


def _hint(kind: str, key: str, context: dict[str, Any], value: object) -> str:
    if "hint" in context:
        return str(context["hint"])
    if kind == "enum":
        allowed = re.findall(r"'([^']+)'", str(context["expected"]))
        meant = [each for each in allowed if each == _MEANT.get(str(value))]
        near = meant or difflib.get_close_matches(str(value), allowed, n=1, cutoff=NEAR_RATIO)
        return f'did you mean "{near[0]}"?' if near else f"write one of {', '.join(allowed)}"
    if kind == "range":
        return "use a value in this range"
    if key in _BOUNDS:
        return f"{key} accepts whole numbers from {_BOUNDS[key]}"
    if key in _EXAMPLES:
        return f"such as {_EXAMPLES[key]}"
    return "docs/campaigns.md and docs/guides/procedures.md list all keys and their ranges"


def _unknown_key(at: str, key: str, place: Place, value: object) -> UsageError:
    known = list((ExperimentTable if place[0] == "experiment" else CampaignTable).model_fields)
    message = f"{at}: unknown key {key} in {_table_of(place)}"
    slip = difflib.get_close_matches(key, known, n=1, cutoff=SLIP_RATIO)
    foreign = None if slip else key_hint(key, value, known)
    if foreign is not None:
        return UsageError(message, foreign)
    if place[0] != "experiment" and isinstance(value, dict | list):
        keys = ", ".join(name for name in known if name != "experiment")
        return UsageError(message, f"a campaign has [[experiment]] tables, and these keys before the first one: {keys}")
    near = [_SHORT[key]] if _SHORT.get(key) in known else difflib.get_close_matches(key, known, n=1, cutoff=NEAR_RATIO)
    meant = f"did you mean {near[0]}? " if near else ""
    return UsageError(message, f"{meant}valid keys: {', '.join(known)}")


def _key_of(place: Place) -> str:
    return next((part for part in reversed(place) if isinstance(part, str) and part != "experiment"), "") or (
        "experiment" if place == ("experiment",) else ""
    )


def _table_of(place: Place) -> str:
    if len(place) > 1 and place[0] == "experiment" and isinstance(place[1], int):
        return f"experiment {place[1] + 1}"
    return "the campaign"


def _line_of(text: str, place: Sequence[int | str]) -> int:
    """The line of a key; without one, that of its table's header, or the first line of the file."""
    table = place[1] if len(place) > 1 and place[0] == "experiment" and isinstance(place[1], int) else -1
    key = place[2] if table >= 0 and len(place) > 2 else place[0] if place else ""  # noqa: PLR2004 - table, number, key
    return line_of_key(text, "experiment", table, str(key))
