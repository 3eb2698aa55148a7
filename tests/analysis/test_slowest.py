"""What the slowest operations of a repeat have in common."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from iosonde.analysis.slowest import Common, Shared, _at_least, shared_by_slowest
from iosonde.records import CellRecord, Operation, ShareTotals, SlowIo, TargetShare, Workload
from iosonde.vocabulary import Arrivals
from tests.builders import cell_plan, cell_record, totals_of, workload

SECOND_NS = 10**9
GIB = 1 << 30
KEPT = 64


def slow(reap_ns: int, offset_bytes: int, **others: Any) -> SlowIo:
    fields: dict[str, Any] = {"operation": Operation.READ, "latency_ns": 10**7, "length_bytes": 4096} | others
    return SlowIo(reap_ns=reap_ns, offset_bytes=offset_bytes, **fields)


def repeat(slowest: Sequence[SlowIo], asked: Workload | None = None, **others: Any) -> CellRecord:
    asked = asked or workload(span_bytes=GIB)
    operations = others.pop("operations", {Operation.READ: totals_of([10**6] * 1000)})
    return cell_record(cell_plan(asked), operations, slowest=tuple(slowest), **others)


def shared_in(record: CellRecord) -> tuple[Shared, ...]:
    return shared_by_slowest(record, 4 * GIB)


def anywhere(seed: int, number: int = KEPT, **others: Any) -> list[SlowIo]:
    random = np.random.default_rng(seed)
    return [
        slow(int(random.integers(5 * SECOND_NS)), int(random.integers(GIB // 4096)) * 4096, **others)
        for _ in range(number)
    ]


def only(found: tuple[Shared, ...]) -> Shared:
    assert len(found) == 1, found
    return found[0]


def test_operations_that_end_together_share_a_moment() -> None:
    together = [slow(2 * SECOND_NS + 1000 * number, each.offset_bytes) for number, each in enumerate(anywhere(1, 50))]
    found = only(shared_in(repeat([*together, *anywhere(2, 14)])))
    assert (found.common, found.kept) == (Common.TIME, KEPT)
    assert found.count >= 50
    assert found.low <= 2 * SECOND_NS <= found.high


def test_operations_that_end_in_a_few_bursts_came_in_groups() -> None:
    random = np.random.default_rng(11)
    bursts = [slow(each + 10**6 * number, 0) for each in range(0, 5 * SECOND_NS, SECOND_NS) for number in range(11)]
    spread = [slow(each.reap_ns, int(random.integers(GIB))) for each in bursts]
    found = only(shared_in(repeat([*spread, *anywhere(12, 9)])))
    assert (found.common, found.kept) == (Common.GROUP, KEPT)
    assert found.count >= 55
    assert found.groups == pytest.approx(5, abs=1)
    assert found.expected < found.count / 2


def test_pairs_that_met_in_a_queue_are_no_groups() -> None:
    ends = np.random.default_rng(13).choice(np.arange(0, 5 * SECOND_NS, 10**8), 32, replace=False)
    pairs = [slow(int(ends[number // 2]) + number % 2, each.offset_bytes) for number, each in enumerate(anywhere(14))]
    assert shared_in(repeat(pairs)) == ()


def test_what_is_hardly_slower_than_the_rest_waited_in_the_same_queue() -> None:
    together = [slow(2 * SECOND_NS + 1000 * number, each.offset_bytes) for number, each in enumerate(anywhere(1, 64))]
    usual = {Operation.READ: totals_of([6 * 10**6] * 1000)}
    assert shared_in(repeat(together, operations=usual)) == ()


def test_what_is_slow_as_its_kind_is_in_a_mix_did_not_stand_still() -> None:
    together = [
        slow(2 * SECOND_NS + 1000 * number, each.offset_bytes, operation=Operation.WRITE)
        for number, each in enumerate(anywhere(1, 64))
    ]
    usual = {Operation.READ: totals_of([10**5] * 1000), Operation.WRITE: totals_of([6 * 10**6] * 500)}
    found = shared_in(repeat(together, workload(read_percent=70, span_bytes=GIB), operations=usual))
    assert [each.common for each in found] == [Common.OPERATION]


@pytest.mark.parametrize("stalled", [20, 32, 62])
def test_a_stall_is_told_beside_operations_that_are_no_tail(stalled: int) -> None:
    together = [
        slow(2 * SECOND_NS + 1000 * number, each.offset_bytes) for number, each in enumerate(anywhere(1, stalled))
    ]
    usual = anywhere(2, KEPT - stalled, latency_ns=15 * 10**5)
    found = only(shared_in(repeat([*together, *usual])))
    assert (found.common, found.count, found.kept) == (Common.TIME, stalled, stalled)


def test_groups_are_no_news_in_an_open_loop() -> None:
    bursts = [each + 10**6 * number for each in range(0, 5 * SECOND_NS, SECOND_NS) for number in range(12)]
    slowest = [slow(ended, each.offset_bytes) for ended, each in zip(bursts, anywhere(11, 60), strict=True)]
    assert only(shared_in(repeat(slowest))).common is Common.GROUP
    assert shared_in(repeat(slowest, workload(span_bytes=GIB, rate_per_s=1000.0, arrivals=Arrivals.POISSON))) == ()


def test_operations_in_one_place_share_it() -> None:
    near = [slow(each.reap_ns, 4096 * number) for number, each in enumerate(anywhere(3, 50))]
    found = only(shared_in(repeat([*near, *anywhere(4, 14)])))
    assert (found.common, found.low) == (Common.OFFSET, 0)


def test_operations_in_order_are_in_one_place_anyway() -> None:
    near = [slow(each.reap_ns, 4096 * number) for number, each in enumerate(anywhere(3, 64))]
    assert shared_in(repeat(near, workload("sequential", span_bytes=GIB))) == ()


def test_writes_among_reads_share_their_direction() -> None:
    operations = {Operation.READ: totals_of([10**6] * 700), Operation.WRITE: totals_of([10**6] * 300)}
    slowest = [*anywhere(5, 56, operation=Operation.WRITE), *anywhere(6, 8)]
    found = only(shared_in(repeat(slowest, workload(read_percent=70, span_bytes=GIB), operations=operations)))
    assert (found.common, found.name, found.count) == (Common.OPERATION, "write", 56)
    assert found.expected == pytest.approx(0.3 * KEPT)


def test_directions_in_the_shares_of_the_mix_are_nothing_in_common() -> None:
    operations = {Operation.READ: totals_of([10**6] * 700), Operation.WRITE: totals_of([10**6] * 300)}
    slowest = [*anywhere(7, 20, operation=Operation.WRITE), *anywhere(8, 44)]
    asked = workload(read_percent=70, span_bytes=GIB)
    assert shared_in(repeat(slowest, asked, operations=operations)) == ()


def test_one_of_several_targets_that_has_them_all_is_named() -> None:
    share = TargetShare(
        operations={Operation.READ: ShareTotals(count=500, bytes=1, latency_ns_sum=1, latency_ns_max=1)}
    )
    found = only(shared_in(repeat(anywhere(9, KEPT, target=1), targets=(share, share))))
    assert (found.common, found.name) == (Common.TARGET, "2")


def test_operations_that_all_take_equally_long_are_not_slow_on_a_target() -> None:
    share = TargetShare(
        operations={Operation.READ: ShareTotals(count=500, bytes=1, latency_ns_sum=1, latency_ns_max=1)}
    )
    kept = anywhere(9, KEPT, target=1, latency_ns=10**6)
    assert shared_in(repeat(kept, targets=(share, share))) == ()


def test_operations_that_lie_anywhere_have_nothing_in_common() -> None:
    found = [shared_in(repeat(anywhere(seed))) for seed in range(200)]
    assert sum(bool(each) for each in found) == 0


def test_a_few_operations_show_nothing() -> None:
    assert shared_in(repeat([slow(number, 0) for number in range(10)])) == ()


@pytest.mark.parametrize("share", [0.0, 1e-6, 0.02, 0.3, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("of", [1, 16, 64, 1200])
def test_the_chance_of_so_many_of_a_kind_is_that_of_scipy(share: float, of: int) -> None:
    for count in range(0, of + 1, max(of // 64, 1)):
        assert _at_least(count, of, share) == pytest.approx(binom.sf(count - 1, of, share), rel=1e-11)
