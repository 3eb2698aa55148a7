"""Parsing and formatting of numbers with units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde import units
from iosonde.errors import UsageError


@pytest.mark.parametrize(
    ("text", "value_bytes"),
    [
        ("4096", 4096),
        ("512B", 512),
        ("4KiB", 4096),
        ("4kib", 4096),
        ("4kB", 4000),
        ("4KB", 4000),
        ("1.5GiB", 3 << 29),
        (" 2 TB ", 2 * 10**12),
    ],
)
def test_sizes_mean_what_their_prefix_says(text: str, value_bytes: int) -> None:
    assert units.parse_bytes(text, "--size") == value_bytes


@pytest.mark.parametrize(
    ("text", "per_s", "shown"),
    [
        ("500", 500, "500"),
        ("20k", 20_000, "20k"),
        ("20K", 20_000, "20k"),
        ("1.5M", 1_500_000, "1500k"),
        (" 2 M/s ", 2_000_000, "2M"),
        ("1.001k", 1001, "1001"),
    ],
)
def test_rates_count_in_powers_of_ten_and_are_shown_exactly(text: str, per_s: int, shown: str) -> None:
    assert units.parse_rate(text, "--rate") == per_s
    assert units.format_rate(per_s) == shown


@pytest.mark.parametrize(
    ("text", "complaint", "hint"),
    [
        ("abc", "not a rate", "such as 500, 20k or 1.5M"),
        ("-5", "not a rate", "such as 500, 20k or 1.5M"),
        ("20m", "unknown unit 'm'", "20k"),
        ("0.5", "not a whole number of operations per second", "use whole operations per second"),
    ],
)
def test_what_is_no_rate_is_refused_with_the_way_out(text: str, complaint: str, hint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        units.parse_rate(text, "--rate")
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("4K", "powers of 2 or of 10"),
        ("4g", "powers of 2 or of 10"),
        ("-1KiB", "not a size"),
        ("", "not a size"),
        ("four", "not a size"),
        ("1e3", "unknown unit|not a size"),
        ("4 parsecs", "unknown unit 'parsecs'"),
        ("1.0001KiB", "not a whole number of bytes"),
    ],
)
def test_a_size_that_could_be_misread_is_refused_with_a_way_out(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        units.parse_bytes(text, "--size")
    assert caught.value.message.startswith("--size")
    assert caught.value.hint


def test_the_hint_for_an_ambiguous_size_spells_out_both_readings() -> None:
    with pytest.raises(UsageError) as caught:
        units.parse_bytes("4K", "--size")
    assert caught.value.hint == "use 4KiB for powers of 2, or 4kB for powers of 10"


@pytest.mark.parametrize(
    ("text", "value_ns"),
    [
        ("5s", 5 * 10**9),
        ("200ms", 2 * 10**8),
        ("1.5 us", 1500),
        ("10µs", 10_000),
        ("2m", 120 * 10**9),
        ("1h", 3600 * 10**9),
    ],
)
def test_durations_mean_what_they_say(text: str, value_ns: int) -> None:
    assert units.parse_duration(text, "--duration") == value_ns


@pytest.mark.parametrize(
    ("text", "seconds"), [("6m30s", 390), ("6 min 30 s", 390), ("1h5m", 3_900), ("3 h 05 min", 11_100), ("1m 0s", 60)]
)
def test_a_duration_may_have_several_parts(text: str, seconds: int) -> None:
    assert units.parse_duration(text, "--budget") == seconds * units.SECOND_NS


@pytest.mark.parametrize("text", ["30s6m", "6m6m", "6m30", "6m30x", "6m 30.5s", "6x30s"])
def test_parts_of_a_duration_without_order_or_unit_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        units.parse_duration(text, "--budget")


@given(st.integers(0, 10**6).map(lambda seconds: seconds * units.SECOND_NS))
def test_a_duration_as_it_is_shown_is_taken(duration_ns: int) -> None:
    shown = units.format_duration(duration_ns)
    assert units.parse_duration(shown, "--budget") == pytest.approx(duration_ns, abs=60 * units.SECOND_NS)


@pytest.mark.parametrize("text", ["5", "5 fortnights", "-5s", "", "1.5ns"])
def test_a_duration_without_a_clear_unit_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        units.parse_duration(text, "--duration")


@given(st.integers(0, 2**50))
def test_a_size_in_bytes_is_read_back_as_itself(value_bytes: int) -> None:
    assert units.parse_bytes(f"{value_bytes}B", "--size") == value_bytes


@given(st.integers(0, 1023), st.sampled_from(sorted(units.BINARY)))
def test_a_whole_number_of_a_unit_is_shown_exactly_and_read_back_as_itself(number: int, unit: str) -> None:
    value_bytes = number * units.BINARY[unit]
    assert units.parse_bytes(units.format_size(value_bytes), "--size") == value_bytes


@pytest.mark.parametrize(
    ("value_bytes", "text"), [(0, "0 B"), (4096, "4 KiB"), (3 << 29, "1.50 GiB"), (1 << 40, "1 TiB"), (1000, "1000 B")]
)
def test_sizes_are_shown_in_powers_of_two(value_bytes: int, text: str) -> None:
    assert units.format_size(value_bytes) == text


def test_bandwidth_is_shown_in_powers_of_ten() -> None:
    assert units.format_bandwidth(113_000_000) == "113 MB/s"
    assert units.format_bandwidth(3_140_000) == "3.14 MB/s"


@pytest.mark.parametrize(
    ("latency_ns", "text"),
    [(800, "800 ns"), (1_500, "1.50 µs"), (9_999_000, "9,999 µs"), (12_300_000, "12.3 ms"), (11 * 10**9, "11.0 s")],
)
def test_latencies_stay_in_microseconds_below_ten_milliseconds(latency_ns: float, text: str) -> None:
    assert units.format_latency(latency_ns) == text


@pytest.mark.parametrize(
    ("duration_s", "text"), [(0.35, "350 ms"), (5, "5.0 s"), (1206, "20 min 06 s"), (11_100, "3 h 05 min")]
)
def test_durations_are_shown_for_people(duration_s: float, text: str) -> None:
    assert units.format_duration(duration_s * 10**9) == text


@pytest.mark.parametrize(("seconds", "text"), [(1, "1m"), (60, "1m"), (365, "7m"), (7200, "120m")])
def test_a_time_for_a_flag_is_in_whole_minutes_that_the_flag_takes(seconds: int, text: str) -> None:
    assert units.minutes_flag(seconds * units.SECOND_NS) == text
    assert units.parse_duration(text, "--budget") >= seconds * units.SECOND_NS


@given(st.integers(0, 2**60) | st.integers(0, 4096).map(lambda number: number << 19))
def test_an_exact_size_reads_back_to_the_same_number(value_bytes: int) -> None:
    assert units.parse_bytes(units.exact_size(value_bytes), "") == value_bytes
    assert units.parse_bytes(units.exact_size(value_bytes).replace(" ", ""), "") == value_bytes


near = st.sampled_from([10**3, 10**6, 10**8, 10**9, 60 * 10**9, 100 * 10**9, 6000 * 10**9])


@given(st.integers(0, 10**16) | st.builds(lambda unit, times: unit * times, near, st.integers(0, 200)))
def test_an_exact_duration_adds_up_to_the_same_number(duration_ns: int) -> None:
    words = units.exact_duration(duration_ns).split(" ")
    parts = [f"{number}{unit}" for number, unit in zip(words[::2], words[1::2], strict=True)]
    assert sum(units.parse_duration(part, "") for part in parts) == duration_ns


@pytest.mark.parametrize(
    ("value_bytes", "text"),
    [
        (0, "0 B"),
        (4096, "4 KiB"),
        (4608, "4.50 KiB"),
        (3 << 29, "1.50 GiB"),
        (1537 << 20, "1537 MiB"),
        (1025, "1025 B"),
        (681_600 << 10, "665.625 MiB"),
        (38_093_632 << 10, "37200.8125 MiB"),
        (100_001, "100001 B"),
    ],
)
def test_an_exact_size_is_as_short_as_it_can_be(value_bytes: int, text: str) -> None:
    assert units.exact_size(value_bytes) == text


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [
        (0, "0 ms"),
        (100_000, "100 us"),
        (1_000_000, "1 ms"),
        (1_500_000_000, "1.5 s"),
        (1_250_000_000, "1250 ms"),
        (99_950_000_000, "99950 ms"),
        (100_000_000_000, "1 min 40 s"),
        (6_001_000_000_000, "6001 s"),
        (468_750_000, "468.75 ms"),
        (133_333_333, "133.333333 ms"),
        (12_345_678_901, "12345.678901 ms"),
    ],
)
def test_an_exact_duration_is_as_short_as_it_can_be(duration_ns: int, text: str) -> None:
    assert units.exact_duration(duration_ns) == text


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [
        (60 * units.SECOND_NS, "60.0 s"),
        (250 * units.MILLISECOND_NS, "250 ms"),
        (1_250 * units.MILLISECOND_NS, "1.25 s"),
        (28_125 * units.MILLISECOND_NS, "28.125 s"),
        (26_666_666, "26.7 ms"),
        (3_906_250, "3.91 ms"),
        (1_234_567_890, "1.2 s"),
    ],
)
def test_a_duration_of_parts_of_a_millisecond_is_rounded(duration_ns: int, text: str) -> None:
    assert units.short_duration(duration_ns) == text
