"""Whether a cell has reached the requested precision."""

from math import inf
from typing import Any

from iosonde.analysis.cells import estimate_cell
from iosonde.analysis.precision import Precision, Reason, precision_of
from iosonde.records import CellRecord, Neighbour, Operation
from tests.analysis.test_states import SETTLED, UNSETTLED
from tests.builders import cell_plan, cell_record, totals_of, workload
from tests.pace_builder import paced, paced_repeat

MS = 1_000_000
CALM = SETTLED.model_copy(update={"throughput_error": 0.001, "latency_error": 0.001, "beyond_error": 0.0001})
PLAN = cell_plan(workload())


def repeat(number: int, count: int, **others: Any) -> CellRecord:
    return cell_record(PLAN, {Operation.READ: totals_of([MS] * count)}, repeat=number, **({"within": CALM} | others))


def judged(*records: CellRecord, percent: float = 2.0) -> Precision:
    return precision_of(estimate_cell(PLAN, records), percent)


def test_repeats_that_agree_are_known() -> None:
    found = judged(*(repeat(number, 5000) for number in range(1, 7)))
    assert found.met
    assert found.doubt < 1


def test_how_repeats_differ_is_not_known_from_five_of_them() -> None:
    found = judged(*(repeat(number, 5000) for number in range(1, 6)))
    assert (found.met, found.reason) == (False, Reason.TOO_FEW_REPEATS)
    assert found.doubt < 1


def test_discarded_repeats_are_none_of_them() -> None:
    beside = (Neighbour(process=1, device="sda"),)
    found = judged(*(repeat(number, 5000, neighbours=beside if number == 2 else ()) for number in range(1, 7)))
    assert (found.met, found.reason) == (False, Reason.TOO_FEW_REPEATS)


def test_a_p99_may_be_known_half_as_well_as_a_mean() -> None:
    thin = CALM.model_copy(update={"beyond_error": 0.002})
    records = [repeat(number, 50_000, within=thin) for number in range(1, 7)]
    found = judged(*records)
    tail = found.known[-1]
    assert tail.half_width_share is not None
    assert tail.doubt(2.0) == tail.half_width_share * 100 / 2.0 / 2


def test_repeats_that_disagree_are_not_known_and_that_is_why() -> None:
    found = judged(*(repeat(number, 4000 + 400 * number) for number in range(1, 7)))
    assert (found.met, found.reason) == (False, Reason.REPEATS_DIFFER)
    assert found.widest.name == "throughput"


def test_doubt_is_the_widest_interval_over_the_one_that_was_asked_for() -> None:
    records = [repeat(number, 4900 + 50 * number) for number in range(1, 7)]
    wide, narrow = judged(*records, percent=10.0), judged(*records, percent=1.0)
    assert narrow.doubt == wide.doubt * 10
    assert wide.met
    assert not narrow.met


def test_restless_repeats_are_too_short() -> None:
    restless = CALM.model_copy(update={"throughput_error": 0.1})
    found = judged(*(repeat(number, 5000, within=restless) for number in range(1, 7)))
    assert found.reason is Reason.TOO_SHORT


def test_too_few_operations_for_a_p99_leave_the_doubt_without_end() -> None:
    found = judged(*(repeat(number, 100) for number in range(1, 7)))
    assert (found.doubt, found.reason) == (inf, Reason.TAIL_TOO_THIN)


def test_a_cell_that_still_warms_up_is_not_known_however_well_its_repeats_agree() -> None:
    moving = CALM.model_copy(update={"settled": UNSETTLED.settled, "geweke": 5.0})
    found = judged(*(repeat(number, 5000, within=moving) for number in range(1, 7)))
    assert (found.met, found.reason) == (False, Reason.WARMING_UP)


def test_a_cell_without_figures_was_not_measured() -> None:
    assert judged().reason is Reason.UNMEASURED


def test_a_saturated_cell_is_known_by_its_throughput_alone() -> None:
    asked = paced()
    records = [
        paced_repeat(number, count=4_700, waiting_ns=300 * MS, lag_ns=number * 100 * MS).model_copy(
            update={"within": CALM}
        )
        for number in range(1, 7)
    ]
    found = precision_of(estimate_cell(cell_plan(asked), records), 2.0)
    assert [each.name for each in found.known] == ["throughput"]
    assert found.met
