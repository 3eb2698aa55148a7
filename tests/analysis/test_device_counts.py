"""The kernel's block-layer statistics, compared with the engine's own counts."""

from iosonde.analysis.device_counts import Witnessed, witnessed
from iosonde.records import CellRecord, DeviceCounts, Operation, RequestCounts, Sync
from iosonde.units import SECOND_NS
from tests.builders import cell_plan, cell_record, totals_of, workload

NONE = RequestCounts(count=0, merged=0, bytes=0, request_ns=0)
MS = 1_000_000


def requests(count: int, bytes_each: int = 4096, ns_each: int = 100_000) -> RequestCounts:
    return RequestCounts(count=count, merged=0, bytes=count * bytes_each, request_ns=count * ns_each)


def device(elapsed_ns: int = 5 * SECOND_NS, **others: RequestCounts) -> DeviceCounts:
    counts = {"read": NONE, "write": NONE, "trim": NONE, "flush": NONE} | others
    return DeviceCounts(device="sda", targets=(0,), by_request=True, elapsed_ns=elapsed_ns, **counts)


def measured(*devices: DeviceCounts, operation: Operation = Operation.WRITE) -> CellRecord:
    asked = workload(read_percent=100 if operation is Operation.READ else 0, sync=Sync.NONE)
    return cell_record(cell_plan(asked), {operation: totals_of([200_000] * 10_000)}, devices=devices)


def told(record: CellRecord, operation: Operation = Operation.WRITE) -> Witnessed:
    found = witnessed(record, operation)
    assert found is not None
    return found


def test_requests_bytes_and_times_of_a_class_stand_beside_our_own() -> None:
    found = told(measured(device(write=requests(10_000))))
    assert (found.device_per_s, found.device_bytes_per_s, found.device_ns_mean) == (2_000, 2_000 * 4096, 100_000)


def test_what_a_device_that_flushes_counts_as_writes_is_no_number_of_writes() -> None:
    """The kernel counts an empty flush both as a write of 0 bytes and as a flush."""
    written = RequestCounts(count=20_000, merged=0, bytes=10_000 * 4096, request_ns=10_000 * 100_000)
    found = told(measured(device(write=written, flush=requests(10_000, 0))))
    assert (found.device_per_s, found.device_ns_mean) == (None, None)
    assert found.device_bytes_per_s == 2_000 * 4096


def test_reads_of_a_device_that_flushes_are_told() -> None:
    record = measured(device(read=requests(10_000), flush=requests(10, 0)), operation=Operation.READ)
    assert told(record, Operation.READ).device_per_s == 2_000


def test_counts_of_another_stretch_of_time_stand_beside_nothing() -> None:
    counts = requests(10_000)
    assert witnessed(measured(device(write=counts, elapsed_ns=5 * SECOND_NS + 100 * MS)), Operation.WRITE) is not None
    assert witnessed(measured(device(write=counts, elapsed_ns=8 * SECOND_NS)), Operation.WRITE) is None
