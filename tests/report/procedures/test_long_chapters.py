from collections.abc import Sequence

from iosonde.analysis.procedures.long_runs import LongPhase, TimeSample
from iosonde.charts.procedures import longest_over_time, mean_latency_over_time, rate_by_state, rate_over_time
from iosonde.report.procedures.long_chapters import idle_table, recovery_table, totals_table
from iosonde.vocabulary import PhaseRole, Quantity
from tests.builders import SECOND_NS, workload

SIZE = 4096


def phase(
    name: str, *iops: int, role: PhaseRole = PhaseRole.STIMULUS, start_s: int = 0, is_finished: bool = True
) -> LongPhase:
    """A phase with so many writes of 4 KiB and 1 µs in each second; its level is that of the last two."""
    samples = tuple(
        TimeSample(
            start_ns=second * SECOND_NS,
            end_ns=(second + 1) * SECOND_NS,
            busy_ns=SECOND_NS,
            operations=count,
            bytes=count * SIZE,
            latency_ns_sum=count * 1000,
            latency_ns_max=(second + 2) * 1000 if count else None,
        )
        for second, count in enumerate(iops)
    )
    return LongPhase(name, role, workload(read_percent=0), is_finished, start_s * SECOND_NS, 2 * SECOND_NS, samples)


def idle_phases(*after: int) -> Sequence[LongPhase]:
    return (
        phase("first", 900, 100, 100, role=PhaseRole.PRECONDITIONING),
        phase("idle", 200, 100, role=PhaseRole.IDLE_RECOVERY, start_s=3),
        phase("after", *after, role=PhaseRole.BASELINE, start_s=5),
    )


def test_totals_have_means_bytes_and_fills() -> None:
    # 3,000 writes of 4,096 bytes in 2 s are 6.144 MB/s and 12,288,000 bytes: 1.5 times 8,192,000.
    [line] = totals_table([phase("one", 1000, 2000)], 8_192_000).lines

    assert line.texts == ("one", "2.0 s", "1,500", "6.144", "1.000", "3.000", "11.7 MiB", "1.50")


def test_totals_name_a_phase_that_did_not_finish() -> None:
    assert "one did not finish." in totals_table([phase("one", 5, is_finished=False)], SIZE).notes


def test_a_phase_without_operations_has_no_latency() -> None:
    [line] = totals_table([phase("one", 0, 0)], SIZE).lines

    assert line.texts[4:6] == ("–", "–")


def test_recovery_is_from_the_beginning_of_the_phase() -> None:
    # The last two seconds are 1,000/s, and the third is the first that stays within 10 % of it.
    [line] = recovery_table([phase("three", 100, 500, 950, 1000, 1000)]).lines

    assert line.texts == ("three", "4.096", "2.0 s")


def test_throughput_that_varies_to_the_end_has_no_recovery_time() -> None:
    [line] = recovery_table([phase("three", 100, 100, 500, 1000)]).lines

    assert line.texts[2] == "–"


def test_idling_is_compared_with_the_level_before_the_first_wait_state() -> None:
    # The level is 100/s; the wait state has 150/s.
    [line] = idle_table(idle_phases(200, 104, 100)).lines

    assert line.texts == ("idle", "150.0", "100.0", "100.0", "+50.0 %", "1.0 s")


def test_writes_that_stay_above_the_baseline_have_not_returned() -> None:
    [line] = idle_table(idle_phases(200, 200)).lines

    assert line.texts[-1] == "–"


def test_phases_are_drawn_one_after_the_other_or_from_the_same_origin() -> None:
    phases = (phase("one", 1, 2), phase("two", 3, start_s=2))

    assert [row["time"] for row in rate_over_time("a", "A", phases, Quantity.IOPS).rows] == [0.5, 1.5, 2.5]
    assert [row["time"] for row in rate_by_state("a", "A", phases).rows] == [0.5, 1.5, 0.5]


def test_a_sample_without_operations_has_a_rate_of_0_and_no_latency() -> None:
    one = (phase("one", 1, 0),)

    assert [row["iops"] for row in rate_over_time("a", "A", one, Quantity.IOPS).rows] == [1, 0]
    assert len(mean_latency_over_time("a", "A", one).rows) == 1


def test_adjacent_samples_keep_their_longest_operation() -> None:
    # 800 samples are drawn as 400 points of two.
    rows = longest_over_time("a", "A", (phase("one", *[1] * 800),)).rows

    assert len(rows) == 400
    assert rows[0]["latency_us"] == 3
