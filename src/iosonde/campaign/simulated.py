"""Parses the name of a simulated drive, such as ``sim:mmc,seed=7``."""

import difflib
from collections.abc import Iterable
from typing import Final

from pydantic import ValidationError

from iosonde.errors import TargetError, UsageError
from iosonde.plans import ASSUMED_WRITE_BYTES_PER_S, SEED_MAX
from iosonde.plans.build import cell_seed
from iosonde.plans.models import Model, load_model
from iosonde.plans.models.kinds import KINDS
from iosonde.records import SimulationFacts
from iosonde.sources import SIMULATED_WORD

_OPTIONS: Final = ("seed", "scale")
# People read and type the seed of a drive, so it is short: 32 bits.
_SEED_BITS_DROPPED: Final = 21


def is_simulated(word: str) -> bool:
    """Whether a target's name is that of a simulated drive."""
    return word.startswith(SIMULATED_WORD)


def check_real(word: str, hint: str) -> None:
    """Raises TargetError for the name of a simulated drive."""
    if is_simulated(word):
        raise TargetError(f"{word} is a simulated drive", f"{hint}; `iosonde sim show` shows its model")


def simulated_drive(word: str, run_seed: int, number: int) -> tuple[SimulationFacts, int]:
    """The drive of that name and its size in bytes. Raises UsageError.

    Without ``seed=`` the drive's seed is derived from the run's seed and ``number``, its place among the targets.
    """
    name, *given = word.removeprefix(SIMULATED_WORD).split(",")
    if not name.strip():
        raise UsageError(
            f"{word} does not specify a model", "specify a model, such as sim:mmc; `iosonde sim list` lists all models"
        )
    options = dict(_option(word, each) for each in given)
    if len(options) < len(given):
        raise UsageError(f"{word} repeats an option", "specify each option only once")
    model = load_model(name)
    if "scale" in options:
        model = _scaled(model, word, options["scale"])
    if (error := model.error_beyond) is not None:
        raise UsageError(
            f"{word}: {error} extends beyond the end of the drive ({model.size_bytes} bytes)",
            "use a smaller offset_bytes or length_bytes",
        )
    seed = options.get("seed", cell_seed(run_seed, "drive", number) >> _SEED_BITS_DROPPED)
    if seed > SEED_MAX:
        raise UsageError(f"{word}: seed is not a whole number from 0 to {SEED_MAX}", "use a smaller seed")
    facts = SimulationFacts(
        model=name, title=model.title, table=model.parameters, seed=seed, scale=model.scale, faults=model.faults
    )
    return facts, model.size_bytes


def write_bytes_per_s(drive: SimulationFacts) -> int | None:
    """The bandwidth of preconditioning writes, in bytes/s; None if the model does not specify it."""
    kind = KINDS[str(drive.table["kind"])]
    return None if kind.write_bytes_per_s is None else kind.write_bytes_per_s(kind.table.model_validate(drive.table))


def is_known(drive: SimulationFacts) -> bool:
    """Whether this version supports the kind of a model and all of its keys."""
    kind = KINDS.get(str(drive.table.get("kind")))
    try:
        return kind is not None and kind.table.model_validate(drive.table) is not None
    except ValidationError:
        return False


def assumed_bytes_per_s(drives: Iterable[SimulationFacts | None]) -> int:
    """The assumed write bandwidth of the targets, in bytes/s: that of the models, or more than that of most drives."""
    known = [write_bytes_per_s(drive) or ASSUMED_WRITE_BYTES_PER_S for drive in drives if drive is not None]
    return max(known, default=ASSUMED_WRITE_BYTES_PER_S)


def _option(word: str, text: str) -> tuple[str, int]:
    key, _, value = text.partition("=")
    key = key.strip()
    if key not in _OPTIONS:
        near = difflib.get_close_matches(key, _OPTIONS, n=1, cutoff=0.0)[0]
        raise UsageError(f"{word}: unknown option {key or '(empty)'}", f"did you mean {near}=N?")
    if not value.strip().isdecimal():
        raise UsageError(f"{word}: {key} is not a whole number", f"write {key}=N, such as {key}=16")
    return key, int(value)


def _scaled(model: Model, word: str, scale: int) -> Model:
    if not model.can_be_scaled:
        raise UsageError(
            f"{word}: a {model.kind} model cannot be scaled",
            "omit scale, or use --size to limit the test region",
        )
    try:
        return model.scaled(scale)
    except ValidationError as error:
        reason = str(error.errors(include_url=False)[0]["msg"])
        raise UsageError(
            f"{word}: scale {scale} is invalid: {reason[:1].lower()}{reason[1:]}",
            "give the factor by which the drive is smaller than its model, such as scale=16",
        ) from error
