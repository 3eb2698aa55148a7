"""Families: the cells that a line may join, and the operation that stands for a whole workload."""

import pytest

from iosonde.analysis.cells import CellEstimate, estimate_cell
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.families import Along, drawn_classes, families_of, whole_of
from iosonde.records import Access, Experiment, Operation, Sync, Workload
from tests.builders import cell_plan, workload


def cells(*asked: Workload, experiment: Experiment = Experiment.QUEUE_DEPTH) -> list[CellEstimate]:
    return [estimate_cell(cell_plan(each, experiment), []) for each in asked]


def depths(*asked: Workload) -> list[list[int]]:
    return [[cell.queue_depth_asked for cell in family.cells] for family in families_of(cells(*asked), Along.DEPTH)]


def test_cells_that_differ_in_depth_alone_are_one_family_from_shallow_to_deep() -> None:
    assert depths(*(workload(queue_depth=depth) for depth in (8, 1, 4))) == [[1, 4, 8]]


@pytest.mark.parametrize(
    "other",
    [
        {"read_percent": 70},
        {"read_percent": 50, "trim_percent": 20},
        {"block_size_bytes": 16384},
        {"pattern": "zipf:1.1"},
        {"sync": Sync.FDATASYNC, "read_percent": 0},
        {"span_bytes": 2**30},
        {"targets": 2},
        {"data": "zeros"},
        {"block_sizes": "4KiB:70,64KiB:30", "block_size_bytes": 65536},
    ],
)
def test_whatever_else_differs_is_another_family(other: dict[str, object]) -> None:
    asked = [*(workload(queue_depth=depth) for depth in (1, 2)), *(workload(queue_depth=d, **other) for d in (1, 2))]  # type: ignore[arg-type]
    assert len(families_of(cells(*asked), Along.DEPTH)) == 2


def test_workers_go_on_where_one_worker_ended() -> None:
    asked = [*(workload(queue_depth=depth) for depth in (1, 8, 64)), workload(queue_depth=64, jobs=4)]
    assert depths(*asked) == [[1, 8, 64, 256]]


def test_workers_within_the_same_depths_are_a_family_of_their_own() -> None:
    asked = [workload(queue_depth=depth, jobs=jobs) for jobs in (1, 3) for depth in (1, 2, 4, 8)]
    assert depths(*asked) == [[1, 2, 4, 8], [3, 6, 12, 24]]


def test_cells_that_last_differently_never_stand_at_one_place_of_a_line() -> None:
    twice = [workload(queue_depth=depth) for depth in (1, 1, 2, 2)]
    assert depths(*twice) == [[1, 2], [1, 2]]


def test_block_sizes_and_shares_of_reads_are_followed_as_well() -> None:
    sizes = cells(*(workload(block_size_bytes=size, queue_depth=depth) for depth in (1, 8) for size in (4096, 8192)))
    assert [len(family.cells) for family in families_of(sizes, Along.BLOCK_SIZE)] == [2, 2]
    shares = cells(*(workload(read_percent=read, block_size_bytes=size) for size in (4096, 8192) for read in (100, 70)))
    assert [len(family.cells) for family in families_of(shares, Along.READ_SHARE)] == [2, 2]


@pytest.mark.parametrize(
    ("asked", "whole", "drawn"),
    [
        (workload(), "read", ["read"]),
        (workload(read_percent=0), "write", ["write"]),
        (workload(read_percent=0, trim_percent=100), "trim", ["trim"]),
        (workload(read_percent=0, sync=Sync.FDATASYNC), "commit", ["commit"]),
        (workload(read_percent=0, sync=Sync.FDATASYNC, flush_every=4), "write", ["write"]),
        (workload(read_percent=70), "all", ["read", "write", "all"]),
        (workload(read_percent=65, trim_percent=5), "all", ["read", "write", "trim", "all"]),
        (workload(read_percent=60, trim_percent=40), "all", ["read", "trim", "all"]),
        (workload(read_percent=70, sync=Sync.FDATASYNC), "all", ["read", "commit", "all"]),
    ],
)
def test_what_stands_for_a_workload_and_what_is_drawn_of_it(asked: Workload, whole: str, drawn: list[str]) -> None:
    assert whole_of(asked) == whole
    assert list(drawn_classes(asked)) == [Operation(each) for each in drawn]


def test_every_workload_of_a_sweep_has_a_knee_of_its_own() -> None:
    asked = [
        workload(queue_depth=depth, read_percent=read, block_size_bytes=size)
        for size in (4096, 16384)
        for read in (100, 70, 50)
        for depth in (1, 2, 4)
    ]
    sweeps = RunEstimates(tuple(cells(*asked))).sweeps
    assert [sweep.whole for sweep in sweeps] == ["read", "all", "all"] * 2
    assert [len(sweep.cells) for sweep in sweeps] == [3] * 6


def test_a_matrix_has_the_longest_sweep_of_each_kind_of_operations() -> None:
    asked = [
        *(workload(queue_depth=depth, read_percent=70) for depth in (1, 2)),
        *(workload(Access.SEQUENTIAL, queue_depth=depth, read_percent=70) for depth in (1, 2, 4)),
        *(workload(queue_depth=depth, read_percent=50) for depth in (1, 2)),
    ]
    (sweep,) = RunEstimates(tuple(cells(*asked, experiment=Experiment.MATRIX))).sweeps
    assert (sweep.workload.pattern, sweep.workload.read_percent, len(sweep.cells)) == (Access.SEQUENTIAL, 70, 3)


def shares(*asked: Workload) -> list[list[str]]:
    return [[cell.cell for cell in family.cells] for family in families_of(cells(*asked), Along.READ_SHARE)]


def test_pure_reads_end_the_family_of_durable_mixes() -> None:
    durable = [workload(read_percent=share, sync=Sync.DSYNC) for share in (70, 0)]
    assert shares(workload(), *durable) == [
        ["random-write-4KiB-qd8-dsync", "random-mix70-4KiB-qd8-dsync", "random-read-4KiB-qd8"]
    ]


def test_pure_reads_end_both_families_if_mixes_are_plain_and_durable() -> None:
    mixes = [workload(read_percent=70, sync=sync) for sync in (Sync.NONE, Sync.DSYNC)]
    assert shares(workload(), *mixes) == [
        ["random-mix70-4KiB-qd8", "random-read-4KiB-qd8"],
        ["random-mix70-4KiB-qd8-dsync", "random-read-4KiB-qd8"],
    ]


def test_pure_reads_at_another_depth_or_block_size_are_another_family() -> None:
    durable = workload(read_percent=70, sync=Sync.DSYNC)
    assert len(shares(workload(queue_depth=1), durable)) == 2
    assert len(shares(workload(block_size_bytes=8192), durable)) == 2
