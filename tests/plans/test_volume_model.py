"""Models of cloud volumes: what follows from their limits and buckets, and what is refused."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans.models import load_model, model_text, read_model
from iosonde.plans.models.volume import volume_bytes_per_s

TEXT = model_text("cloud-burst")


def changed(*pairs: tuple[str, str]) -> str:
    text = TEXT.partition("[sources]")[0]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_the_limits_say_how_long_a_burst_lasts_and_how_long_a_bucket_takes_to_fill() -> None:
    limits = {limit.name: limit.value for limit in load_model("cloud-burst").scaled(1).limits}
    # 5.4 million credits: at 3,000 - 300 a second, and at 300 a second.
    assert limits["burst from a full bucket of I/O credits"] == "33 min 20 s"
    assert limits["time to fill an empty bucket of I/O credits when idle"] == "5 h 00 min"
    assert limits["sustained rate without I/O credits"] == "300/s"
    assert not any("byte credits" in name for name in limits)


def test_a_scaled_volume_has_a_shorter_burst_and_the_same_rates() -> None:
    limits = {limit.name: limit.value for limit in load_model("cloud-burst").limits}
    assert limits["burst from a full bucket of I/O credits"] == "31.2 s"
    assert limits["IOPS in bursts"] == "3,000/s"


def test_a_volume_with_a_bucket_of_bytes_says_its_sustained_bandwidth() -> None:
    text = changed(
        ("base_bytes_per_s = 134_217_728", "base_bytes_per_s = 20_000_000"),
        ("bucket_bytes = 0", "bucket_bytes = 1_140_000_000_000"),
    )
    limits = {limit.name: limit.value for limit in read_model(text, "st1", "st1.toml").limits}
    assert limits["sustained rate without byte credits"] == "20.0 MB/s"


def test_a_fill_longer_than_a_burst_is_planned_at_the_mean_of_both_rates() -> None:
    text = changed(("bucket_start_permille = 1_000", "bucket_start_permille = 0"))
    # 300 credits a second give 75 writes of 1 MiB.
    assert volume_bytes_per_s(read_model(text, "empty", "empty.toml").table) == 75 << 20  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("burst_iops = 3_000", "burst_iops = 299"), "burst_iops: 299 is less than base_iops (300)"),
        (
            ("bucket_io_credits = 5_400_000", "bucket_io_credits = 0"),
            "bucket_io_credits: 0 leaves no credits for a burst_iops above base_iops",
        ),
        (
            ("bucket_bytes = 0", "bucket_bytes = 1"),
            "bucket_bytes: 1 has no effect, because burst_bytes_per_s equals base_bytes_per_s",
        ),
        (
            ("capacity_scale = 64", "capacity_scale = 10_000"),
            "capacity_scale: 10000 leaves less than 16777216 bytes of the capacity",
        ),
    ],
)
def test_values_that_do_not_fit_together_are_refused_with_the_reason(change: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError) as told:
        read_model(changed(change), "mine", "mine.toml")
    assert message in told.value.message
