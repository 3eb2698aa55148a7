"""What the report says of sustained transfers, and what it does not say."""

from collections.abc import Sequence

import pytest

from iosonde.analysis import stretches
from iosonde.analysis.plateaus import Transfer, transfer_of
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.sustained import Sustained, sustained_of
from iosonde.records import CellRecord, Outcome
from iosonde.report.blocks import Paragraph
from iosonde.report.export import run_json
from iosonde.report.page import page_of
from iosonde.report.sustained_words import sustained_answer, sustained_brief
from tests.transfer_builder import sustained, sustained_run

BURST, BASE = 12.288, 1.2288
"""The bandwidth in MB/s of 3,000 and of 300 operations of 4 KiB per second."""


def burst(seconds: float, rest_s: float = 30.0) -> list[float]:
    return [BURST] * round(seconds * 10) + [BASE] * round(rest_s * 10)


def said(*records: CellRecord) -> str:
    found: Sequence[Sustained] = sustained_of(records)
    return " ".join(sustained_answer(found, found))


def test_credits_are_told_with_bucket_length_of_a_burst_and_refill() -> None:
    # 27,000 credits last for 10 s. 20 s of 300 credits each last for 2.2 s.
    text = said(*sustained((0, burst(10)), (20, burst(20 / 9)), (600, burst(10))))
    assert (
        "This fits burst credits: a flat burst at 3,000 IOPS, one sharp drop, and a flat base rate of 300 IOPS" in text
    )
    assert "The full bucket holds 27,0" in text
    assert "From full, a burst lasts 10.0 s." in text
    assert "After 20.0 s idle, the burst used 5,9" in text
    assert "The base rate earns 6,000." in text
    assert "The bucket refills at the base rate of 300 operations/s: from empty, it is full after 90.0 s idle." in text


def test_without_a_refill_the_size_is_a_lower_limit_and_throttling_is_named() -> None:
    text = said(*sustained((0, burst(10))))
    assert "This fits burst credits, but may also be throttling" in text
    assert "The bucket holds at least that much." in text
    assert "The refill was not measured." in text
    assert "from empty" not in text


def test_a_burst_that_recovers_faster_than_credits_is_not_called_credits() -> None:
    text = said(*sustained((0, burst(10)), (5, burst(10))))
    assert "burst credits:" not in text
    assert "The data do not show the cause" in text


def test_a_slope_is_not_called_credits() -> None:
    slope = [BURST - (BURST - BASE) * index / 200 for index in range(200)]
    text = said(*sustained((0, slope + [BASE] * 200)))
    assert "This fits burst credits" not in text


def test_a_level_transfer_has_no_cause_and_a_short_one_says_that_it_is_too_short() -> None:
    assert said(*sustained((0, [BURST] * 200))).endswith("had a constant level: mean 12.3 MB/s over 246 MB in 20.0 s.")
    assert "too few intervals for plateaus" in said(*sustained((0, [BURST] * 6)))


def test_a_transfer_that_alternates_from_its_start_is_told_with_both_levels() -> None:
    records = sustained((0, ([BURST] * 20 + [BASE] * 20) * 8))
    assert "The stretch without idle time alternated between 1.23 and 12.3 MB/s, with a mean of" in said(*records)
    assert "alternated between" in sustained_brief(sustained_of(records))


def test_a_run_without_a_finished_stretch_says_so_in_its_chapter() -> None:
    run = sustained_run()
    cut = [cell.model_copy(update={"outcome": Outcome.CUT}) for cell in run.cells]
    page = page_of(RunAnalysis(run.model_copy(update={"cells": tuple(cut)})), ())
    (chapter,) = [each for each in page.chapters if each.id == "sustained"]
    assert [each.text for each in chapter.all_of(Paragraph)] == ["No stretch of this experiment was completed."]


def test_a_write_cache_needs_reads_that_do_not_show_it() -> None:
    writes = sustained((0, burst(10)), (60, burst(5)), read=0)
    assert "The data do not show the cause" in said(*writes)
    text = said(*writes, *sustained((0, [BURST] * 1000)))
    assert "This fits a write cache: the first drop is after 123 MB" in text
    assert "After 60.0 s idle, the cache took 61" in text


def test_reads_at_the_base_rate_do_not_show_that_writes_have_a_cache() -> None:
    text = said(*sustained((0, burst(10)), read=0), *sustained((0, [BASE] * 1000)))
    assert "This fits a write cache" not in text


def test_an_invalid_stretch_and_those_after_it_are_only_named() -> None:
    records = sustained((0, burst(10)), (20, burst(20 / 9)), (600, burst(10)))
    found = sustained_of(records)
    first, second, third = (each.cell for each in records)
    invalid = {second: ("neighbours",)}
    text = " ".join(sustained_answer(found, found, invalid))
    assert "The stretch after 20.0 s idle" not in text
    assert "The bucket holds at least that much." in text
    assert text.endswith(
        f"Omitted as invalid (see neighbours): {second}. Omitted because they follow an invalid stretch: {third}."
    )
    assert sustained_brief(found, {first: ("neighbours",)}) == ""


def test_the_summary_names_the_first_drop_or_that_there_is_none() -> None:
    records = sustained((0, burst(10)))
    assert sustained_brief(sustained_of(records)).startswith(
        "Sustained 4 KiB random reads at depth 32 without idle time ran at 12.29"
    )
    assert "had no drop: 12.3 MB/s." in sustained_brief(sustained_of(sustained((0, [BURST] * 200))))
    assert sustained_brief(()) == ""


def test_a_stretch_is_analysed_once_for_all_parts_of_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(record: CellRecord) -> Transfer:
        seen.append(record.cell)
        return transfer_of(record)

    monkeypatch.setattr(stretches, "transfer_of", counted)
    analysis = RunAnalysis(sustained_run())
    page_of(analysis, ())
    run_json(analysis, ())
    assert len(seen) == len(set(seen)) == 2
