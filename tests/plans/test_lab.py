"""The lab profile: the cells that were promised, each once, and what they cost."""

from collections import Counter

from iosonde.plans import TargetInfo, campaign_plan, cell_overhead_ns, load_profile, plan_cost, probe_plan
from iosonde.plans.build import cell_seed
from iosonde.plans.campaign_file import Order
from iosonde.records import Access, Aim, Experiment, Plan, Sync, Timing, Workload
from iosonde.units import SECOND_NS

KIB = 1024
GIB = 1 << 30


def lab(seed: int = 1, *, quick: bool = False) -> Plan:
    return campaign_plan(load_profile("lab"), TargetInfo(span_bytes=8 * GIB, fill=True), quick=quick, seed=seed)


def workloads(experiment: Experiment) -> set[Workload]:
    return {cell.workload for cell in lab().cells if experiment in cell.experiments}


def small_random(read_percent: int, depth: int) -> Workload:
    return Workload(pattern=Access.RANDOM, read_percent=read_percent, block_size_bytes=4 * KIB, queue_depth=depth)


def test_the_baseline_has_no_queue_and_both_kinds_of_durable_write() -> None:
    found = workloads(Experiment.BASELINE)
    assert all(workload.queue_depth == 1 for workload in found)
    shapes = {(each.pattern, each.read_percent, each.block_size_bytes, each.sync) for each in found}
    assert shapes == {
        (Access.RANDOM, 100, 4 * KIB, Sync.NONE),
        (Access.RANDOM, 0, 4 * KIB, Sync.NONE),
        (Access.SEQUENTIAL, 100, 128 * KIB, Sync.NONE),
        (Access.SEQUENTIAL, 0, 128 * KIB, Sync.NONE),
        (Access.RANDOM, 0, 4 * KIB, Sync.FDATASYNC),
        (Access.RANDOM, 0, 4 * KIB, Sync.DSYNC),
    }


def test_the_block_size_sweep_crosses_five_sizes_with_four_patterns_at_depth_8() -> None:
    expected = {
        Workload(pattern=pattern, read_percent=read_percent, block_size_bytes=size * KIB, queue_depth=8)
        for pattern in Access
        for read_percent in (0, 100)
        for size in (4, 16, 64, 256, 1024)
    }
    assert workloads(Experiment.BLOCK_SIZE) == expected


def test_the_mix_goes_from_all_reads_to_all_writes_at_depth_16() -> None:
    assert workloads(Experiment.MIX) == {small_random(share, 16) for share in (100, 70, 50, 30, 0)}


def test_the_queue_depth_sweep_doubles_from_1_to_256_for_reads_and_writes() -> None:
    depths = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    assert workloads(Experiment.QUEUE_DEPTH) == {small_random(share, depth) for share in (0, 100) for depth in depths}


def test_the_tail_is_read_at_depths_8_and_64() -> None:
    assert workloads(Experiment.TAIL) == {small_random(100, 8), small_random(100, 64)}


def test_a_workload_that_several_experiments_ask_for_is_one_cell() -> None:
    cells = {cell.workload: cell.experiments for cell in lab().cells}
    assert len(cells) == 43
    assert cells[small_random(100, 8)] == (Experiment.BLOCK_SIZE, Experiment.QUEUE_DEPTH, Experiment.TAIL)
    assert len({cell.cell for cell in lab().cells}) == 43


def test_every_cell_is_measured_once_in_each_of_three_repeats() -> None:
    turns = lab().turns
    assert Counter((turn.cell, turn.repeat) for turn in turns) == Counter(
        {(cell.cell, repeat): 1 for cell in lab().cells for repeat in (1, 2, 3)}
    )
    assert [turn.order for turn in turns] == list(range(1, 130))
    assert [turn.repeat for turn in turns] == sorted(turn.repeat for turn in turns)


def test_with_an_aim_reads_come_first_then_writes_in_order_then_writes_at_random() -> None:
    aim = Aim(precision_percent=5, budget_ns=600 * SECOND_NS)
    ground = TargetInfo(span_bytes=8 * GIB, fill=True)
    plan = campaign_plan(load_profile("lab"), ground, quick=False, seed=1, aim=aim)
    cells = {cell.cell: cell.workload for cell in plan.cells}
    kinds = [cells[turn.cell].changes * (1 + (cells[turn.cell].pattern is Access.RANDOM)) for turn in plan.turns]
    assert kinds == sorted(kinds)
    assert set(kinds) == {0, 1, 2}
    for kind in (0, 1, 2):
        repeats = [turn.repeat for turn, each in zip(plan.turns, kinds, strict=True) if each == kind]
        assert repeats == sorted(repeats), "within a phase, every cell once a repeat"
    assert {turn.repeat for turn in plan.turns} == {1, 2, 3, 4, 5, 6}


def test_cells_that_are_to_come_as_they_are_listed_know_no_phases() -> None:
    campaign = load_profile("lab").model_copy(update={"order": Order.LISTED})
    aim = Aim(precision_percent=5, budget_ns=600 * SECOND_NS)
    plan = campaign_plan(campaign, TargetInfo(span_bytes=8 * GIB, fill=True), quick=False, seed=1, aim=aim)
    names = [cell.cell for cell in plan.cells]
    assert [turn.cell for turn in plan.turns] == names * 6


def test_the_order_is_drawn_anew_for_each_repeat_and_follows_from_the_seed() -> None:
    def orders(seed: int) -> list[list[str]]:
        return [[turn.cell for turn in lab(seed).turns if turn.repeat == repeat] for repeat in (1, 2, 3)]

    first, second, third = orders(1)
    assert first != second != third != first
    assert orders(1) == orders(1)
    assert orders(2) != orders(1)


def test_no_two_measurements_share_a_seed_and_all_are_exact_in_json() -> None:
    seeds = [turn.seed for turn in lab().turns]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert cell_seed(1, "a", 1) != cell_seed(1, "a", 2)


def test_a_cell_has_a_second_of_warm_up_and_five_of_measuring_and_quick_is_branded() -> None:
    timing = lab().cells[0].timing
    assert (timing.warmup_ns, timing.measure_ns) == (10**9, 5 * 10**9)
    quick = lab(quick=True)
    assert quick.quick
    assert (quick.cells[0].timing.warmup_ns, quick.cells[0].timing.measure_ns) == (2 * 10**8, 5 * 10**8)


def test_the_fill_writes_the_span_once_before_anything_is_read() -> None:
    (fill,) = (step.cell for step in lab().writes_first)
    assert fill.timing.amount_bytes == 8 * GIB
    assert (fill.workload.pattern, fill.workload.read_percent) == (Access.SEQUENTIAL, 0)


def test_a_fill_of_days_has_as_many_intervals_as_one_of_minutes_and_large_blocks_that_leave_no_rest() -> None:
    def fill(span_bytes: int) -> tuple[int, int]:
        plan = campaign_plan(load_profile("lab"), TargetInfo(span_bytes=span_bytes, fill=True), quick=False, seed=1)
        (step,) = plan.writes_first
        return step.cell.workload.block_size_bytes, step.cell.timing.interval_ns

    assert fill(8 * GIB) == (1 << 20, SECOND_NS // 50)
    # At 100 MB/s a span of 16 TiB takes 175,921.86 s.
    assert fill(16 << 40) == (8 << 20, 17_592_186_044)
    assert fill((16 << 40) + (1 << 20))[0] == 1 << 20
    assert fill(1 << 50)[1] == 20 * SECOND_NS


def test_the_cost_counts_time_writes_and_fills() -> None:
    cost = plan_cost(lab(), assumed_bytes_per_s=10**9)
    assert (cost.cells, cost.measurements) == (43, 129)
    # 6 s a measurement, 8.6 s of filling, and a little for each start.
    assert 129 * 6 * 10**9 + 8 * 10**9 < cost.duration_ns < 129 * 6.1 * 10**9 + 9 * 10**9
    assert cost.fill_bytes == 8 * GIB
    write_seconds = 3 * 6 * sum((100 - cell.workload.read_percent) / 100 for cell in lab().cells)
    # Operations in flight at the end of a trial are completed.
    in_flight = 3 * sum(
        each.operations_in_flight * each.block_size_bytes * each.write_percent // 100
        for each in (cell.workload for cell in lab().cells)
    )
    assert cost.write_bytes_max == write_seconds * 10**9 + in_flight
    assert cost.fills(8 * GIB) == (cost.fill_bytes + cost.write_bytes_max) / (8 * GIB)


def test_the_cost_counts_what_is_read_back_to_verify() -> None:
    campaign = load_profile("lab")
    ground = TargetInfo(span_bytes=8 * GIB, fill=True, targets=2)
    plain, verified = (
        plan_cost(campaign_plan(each, ground, quick=False, seed=1), assumed_bytes_per_s=10**9)
        for each in (campaign, campaign.model_copy(update={"verify": True}))
    )
    writing = 3 * sum(cell.workload.read_percent < 100 for cell in lab().cells)
    assert plain.read_back_bytes == 0
    assert verified.read_back_bytes == writing * 2 * 8 * GIB
    assert verified.duration_ns - plain.duration_ns == verified.read_back_bytes
    assert verified.write_bytes_max == plain.write_bytes_max


def test_a_run_by_fio_takes_as_much_longer_as_fio_starts() -> None:
    own, fio = (plan_cost(lab(), overhead_ns=cell_overhead_ns(engine)).duration_ns for engine in ("auto", "fio"))
    assert fio - own == 129 * 485_000_000


def test_a_probe_is_one_cell_with_the_seed_that_was_asked_for() -> None:
    timing = Timing(warmup_ns=0, measure_ns=10**9, interval_ns=10**8)
    plan = probe_plan(small_random(70, 32), timing, TargetInfo(span_bytes=GIB, fill=False), seed=7)
    assert [(turn.cell, turn.repeat, turn.seed) for turn in plan.turns] == [("random-mix70-4KiB-qd32", 1, 7)]
    assert plan.preparation == ()


def test_the_plan_keeps_the_campaign_s_experiments_with_their_names_and_cells() -> None:
    plan = lab()
    named = {each.name: each for each in plan.experiments}
    assert list(named)[:3] == [
        "Baseline latency (QD 1), small",
        "Baseline latency (QD 1), large",
        "Baseline latency (QD 1), durable",
    ]
    assert named["Tail"].kind is Experiment.TAIL
    assert named["Tail"].cells == ("random-read-4KiB-qd8", "random-read-4KiB-qd64")
    # A cell that several experiments ask for is planned once.
    assert "random-read-4KiB-qd8" in named["Queue-depth sweep"].cells
    assert {name for each in plan.experiments for name in each.cells} == {cell.cell for cell in plan.cells}
