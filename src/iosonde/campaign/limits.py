"""Limits of a run: checked against a plan, and reduced by what an earlier session wrote."""

from iosonde.errors import TargetError, UsageError
from iosonde.records import CellRecord, Operation, RunLimits, RunRecord
from iosonde.units import format_amount
from iosonde.vocabulary import EngineChoice


def check_limits(limits: RunLimits, engine: EngineChoice, prepared_bytes: int, *, is_storage: bool) -> None:
    """Raises UsageError for limits that cannot be kept, or that the run reaches before its first trial.

    ``prepared_bytes`` are those of the preconditioning.
    """
    if not limits.is_set:
        return
    if engine is EngineChoice.FIO:
        raise UsageError(
            "fio does not keep limits: only iosonde's own engines end at a limit",
            "omit --max-writes, --max-temperature and --min-spare, or use another engine",
        )
    if not is_storage and (limits.temperature_celsius_max, limits.spare_percent_min) != (None, None):
        raise UsageError(
            "a simulated drive and the null target have no temperature or spare blocks to protect",
            "omit --max-temperature and --min-spare",
        )
    most = limits.written_bytes_max
    if most is not None and prepared_bytes > most:
        raise UsageError(
            f"preconditioning alone writes {format_amount(prepared_bytes)}, more than --max-writes "
            f"({format_amount(most)})",
            "raise --max-writes, or use a smaller --size",
        )


def limits_left(limits: RunLimits, run: RunRecord) -> RunLimits:
    """The limits of a resumed run: what it has already written counts. Raises TargetError if that is all of it.

    A simulated drive starts anew and repeats all trials, so that it will write all of it again.
    """
    if limits.written_bytes_max is None or run.header.is_simulated:
        return limits
    written = sum(map(_written_bytes, (*run.preparation, *run.cells, *run.superseded)))
    left = limits.written_bytes_max - written
    if left <= 0:
        raise TargetError(
            f"the run has written {format_amount(written)} already, and --max-writes is "
            f"{format_amount(limits.written_bytes_max)} for all of it",
            "set --max-writes to more than that",
        )
    return limits.model_copy(update={"written_bytes_max": left})


def replaced(limits: RunLimits, by: RunLimits) -> RunLimits:
    """The limits, with those that ``by`` sets in their place."""
    return limits.model_copy(update={name: value for name, value in by if value is not None})


def _written_bytes(record: CellRecord) -> int:
    totals = (record.operations.get(Operation.WRITE), record.warmup.get(Operation.WRITE))
    return sum(each.bytes for each in totals if each is not None)


def limits_line(limits: RunLimits) -> str:
    """The limits as text: ``at most 100 GB written, no drive above 70 °C``; empty without limits."""
    most, celsius, spare = limits.written_bytes_max, limits.temperature_celsius_max, limits.spare_percent_min
    parts = [
        "" if most is None else f"at most {format_amount(most)} written",
        "" if celsius is None else f"no drive above {celsius} °C",
        "" if spare is None else f"no drive below {spare} % of its spare blocks",
    ]
    return ", ".join(filter(None, parts))
