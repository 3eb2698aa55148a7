"""Shares of the slowest operations that the host or the device delayed, in words."""

from iosonde import probe
from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.records import CellRecord
from iosonde.report.tail_cause_words import tail_cause_sentences, tail_cause_table
from tests.findings.runs import MS, repeat, run_of
from tests.findings.test_tail import slow_ones, waited


def cells(*records: CellRecord) -> tuple[CellEstimate, ...]:
    return estimate_run(run_of(*records)).cells


def test_the_shares_are_said_with_the_longest_wait_for_a_cpu() -> None:
    half = (*slow_ones(host=waited(40 * MS))[:32], *slow_ones()[:32])
    (sentence,) = tail_cause_sentences(cells(repeat(slowest=half)))
    assert sentence == (
        "Of the 64 slowest 4 KiB random reads at depth 8, 50 % were delayed by the host and 0 % by the device; for 50 "
        "%, it is unknown. The longest wait for a CPU around one of them was 40.0 ms."
    )


def test_without_counters_the_cause_is_unknown_and_the_table_has_dashes() -> None:
    (sentence,) = tail_cause_sentences(cells(repeat(slowest=slow_ones())))
    assert sentence == (
        "It is unknown whether the host or the device delayed the 64 slowest 4 KiB random reads at depth 8: the "
        "counters of the host were not recorded."
    )
    table = tail_cause_table(cells(repeat(slowest=slow_ones())))
    assert table is not None
    assert table.lines[0].texts[1:5] == ("64", "0", "0", "100")
    assert "the counters of the host were not recorded" in table.explained.notes[0]


def test_without_slow_operations_nothing_is_said() -> None:
    assert tail_cause_sentences(cells(repeat())) == []
    assert tail_cause_table(cells(repeat())) is None


def test_a_simulated_drive_is_the_cause_of_all_in_the_table_alone() -> None:
    run = probe("sim:sata-dc", queue_depth=4, duration="1s").record
    found = estimate_run(run).cells
    assert tail_cause_sentences(found) == []
    table = tail_cause_table(found)
    assert table is not None
    assert table.lines[0].texts[3] == "100"
