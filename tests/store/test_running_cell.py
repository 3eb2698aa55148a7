"""Intervals of a long cell are merged while it runs. If it is cut, its totals are those of all its intervals."""

import random

import pytest

from iosonde.analysis.totals import sums_of
from iosonde.records import INTERVAL_FORM, IntervalRecord, Operation, Phase
from iosonde.store import running_cell
from iosonde.store.running_cell import RunningCell
from tests.builders import totals_of

SEED = 5


def drawn(count: int) -> list[IntervalRecord]:
    """Random intervals, first of the warm-up, then measured. Some have no backlog, no reads or no writes."""
    draw = random.Random(SEED)
    found, at_ns = [], 0
    for number in range(count):
        length_ns = draw.randrange(1, 10**9)
        operations = {
            operation: totals_of([draw.randrange(1, 10**7) for _ in range(draw.randrange(1, 20))])
            for operation in (Operation.READ, Operation.WRITE)
            if draw.random() < 0.8
        }
        found.append(
            IntervalRecord(
                phase=Phase.WARMUP if number < count // 4 else Phase.MEASURE,
                interval_first=number,
                interval_last=number,
                start_ns=at_ns,
                end_ns=at_ns + length_ns,
                in_flight_ns=draw.randrange(10**9),
                backlog_ns=draw.randrange(10**9) if number < count // 2 else None,
                kernel_workers=draw.choice([None, 0, 3]),
                operations=operations,
            )
        )
        at_ns += length_ns
    return found


def fed(intervals: list[IntervalRecord], *, keeps: bool) -> tuple[IntervalRecord, ...]:
    running = RunningCell(intervals=keeps)
    for each in intervals:
        running.add(b'{"order":1,"interval":%b}' % INTERVAL_FORM.dump_json(each, exclude_none=True))
    return running.intervals()


def test_what_was_folded_adds_up_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_cell, "HELD_BYTES_MAX", 10_000)
    intervals = drawn(1_000)
    found = fed(intervals, keeps=False)
    assert [each.phase for each in found] == [Phase.WARMUP, Phase.MEASURE]
    assert sums_of(found) == sums_of(intervals)
    for phase, one in zip((Phase.WARMUP, Phase.MEASURE), found, strict=True):
        assert one.end_ns - one.start_ns == sum(x.end_ns - x.start_ns for x in intervals if x.phase is phase)
        assert one.kernel_workers == 3


def test_whoever_wants_each_interval_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_cell, "HELD_BYTES_MAX", 10_000)
    intervals = drawn(100)
    assert list(fed(intervals, keeps=True)) == intervals


def test_a_cell_without_intervals_has_none() -> None:
    assert RunningCell(intervals=False).intervals() == ()
