"""Limits of a run: what they refuse before it, and what has already been written when it is resumed."""

import pytest

from iosonde.campaign.limits import check_limits, limits_left, limits_line, replaced
from iosonde.campaign.requests import limits_from
from iosonde.errors import TargetError, UsageError
from iosonde.records import NO_LIMITS, Operation, RunLimits
from iosonde.vocabulary import EngineChoice
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload

GB = 10**9


def test_options_become_limits_in_base_units() -> None:
    assert limits_from("500GB", 70, 10) == RunLimits(
        written_bytes_max=500 * GB, temperature_celsius_max=70, spare_percent_min=10
    )
    assert limits_from(None, None, None) == NO_LIMITS
    assert not NO_LIMITS.is_set


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("much", None, None), "--max-writes: 'much' is not a size"),
        ((None, 0, None), "--max-temperature 0 is not in the range 1 to 150 °C"),
        ((None, 151, None), "--max-temperature 151 is not in the range 1 to 150 °C"),
        ((None, None, -1), "--min-spare -1 is not in the range 0 to 100 %"),
        ((None, None, 101), "--min-spare 101 is not in the range 0 to 100 %"),
    ],
)
def test_what_is_no_limit_is_refused(options: tuple[str | None, int | None, int | None], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        limits_from(*options)


def test_limits_that_nobody_would_keep_are_refused() -> None:
    limits = RunLimits(temperature_celsius_max=70)
    with pytest.raises(UsageError, match="fio does not keep limits"):
        check_limits(limits, EngineChoice.FIO, 0, is_storage=True)
    with pytest.raises(UsageError, match="no temperature"):
        check_limits(limits, EngineChoice.AUTO, 0, is_storage=False)
    check_limits(limits, EngineChoice.AUTO, 0, is_storage=True)
    check_limits(NO_LIMITS, EngineChoice.FIO, 0, is_storage=False)


def test_a_limit_that_preconditioning_alone_exceeds_is_refused() -> None:
    limits = RunLimits(written_bytes_max=GB)
    check_limits(limits, EngineChoice.AUTO, GB, is_storage=True)
    with pytest.raises(UsageError, match=r"preconditioning alone writes 2\.00 GB"):
        check_limits(limits, EngineChoice.AUTO, 2 * GB, is_storage=True)


def test_what_earlier_sessions_wrote_counts() -> None:
    plan = cell_plan(workload(read_percent=0))
    record = cell_record(plan, {Operation.WRITE: totals_of([1000] * 5), Operation.READ: totals_of([1000])})
    written = record.operations[Operation.WRITE].bytes
    warm = record.model_copy(update={"warmup": {Operation.WRITE: record.operations[Operation.WRITE]}})
    run = run_record([plan], [record]).model_copy(update={"preparation": (record,), "superseded": (warm,)})
    left = limits_left(RunLimits(written_bytes_max=10 * written, spare_percent_min=5), run)
    assert left == RunLimits(written_bytes_max=6 * written, spare_percent_min=5)
    with pytest.raises(TargetError, match="already, and --max-writes is"):
        limits_left(RunLimits(written_bytes_max=4 * written), run)


def test_only_what_is_set_anew_replaces_a_limit() -> None:
    first = RunLimits(written_bytes_max=GB, temperature_celsius_max=70)
    assert replaced(first, RunLimits(temperature_celsius_max=80)) == RunLimits(
        written_bytes_max=GB, temperature_celsius_max=80
    )
    assert replaced(first, NO_LIMITS) == first


def test_limits_are_told_in_one_line() -> None:
    assert limits_line(limits_from("500GB", 70, 10)) == (
        "at most 500 GB written, no drive above 70 °C, no drive below 10 % of its spare blocks"
    )
