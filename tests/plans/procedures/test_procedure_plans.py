"""Plans of standard procedures: their cells and order, times on scaled drives, and the cost at best and at worst."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans import TargetInfo, plan_cost
from iosonde.plans.procedures import load_procedures, procedures_plan, read_procedures
from iosonde.records import Plan, SteadySamples, SteadyState
from iosonde.units import MILLISECOND_NS, SECOND_NS
from iosonde.vocabulary import WriteCache
from tests.plans.procedures.test_read_procedures import OWN
from tests.procedure_files import phase_text, table_text

GIB = 1 << 30
MINUTE_NS = 60 * SECOND_NS


def plan_of(name: str = "pts-iops", *, size_bytes: int = 4 * GIB, time_scale: int = 1, is_device: bool = False) -> Plan:
    ground = TargetInfo(size_bytes, fill=True, is_device=is_device)
    return procedures_plan(load_procedures(name), ground, seed=1, time_scale=time_scale)


def test_a_round_of_the_iops_test_has_its_56_cells_with_mixes_outermost() -> None:
    plan = plan_of()
    cells = {cell.cell: cell for cell in plan.cells}
    rounds = plan.procedures[0].phases[1].cells
    found = [(cells[name].workload.read_percent, cells[name].workload.block_size_bytes) for name in rounds]
    sizes = [1 << 20, 128 << 10, 64 << 10, 32 << 10, 16 << 10, 8 << 10, 4 << 10, 512]
    assert found == [(mix, size) for mix in (100, 95, 65, 50, 35, 5, 0) for size in sizes]
    assert {cells[name].timing.measure_ns for name in rounds} == {MINUTE_NS}
    assert {cells[name].timing.interval_ns for name in rounds} == {SECOND_NS}


def test_its_preconditioning_writes_twice_the_capacity_in_blocks_of_128_kib() -> None:
    (first,) = plan_of(size_bytes=3 * GIB + 4096).procedures[0].phases[0].cells
    cell = next(each for each in plan_of(size_bytes=3 * GIB + 4096).cells if each.cell == first)
    assert cell.timing.amount_bytes == 6 * GIB
    assert (cell.workload.block_size_bytes, cell.workload.jobs) == (128 << 10, 1)


def test_the_tracking_variables_are_the_three_of_the_specification() -> None:
    stop = plan_of().procedures[0].phases[1].stop
    assert isinstance(stop, SteadyState)
    assert [each.cell for each in stop.tracked] == [
        "iops-random-write-4KiB-qd32-jobs4",
        "iops-random-mix65-64KiB-qd32-jobs4",
        "iops-random-read-1MiB-qd32-jobs4",
    ]
    assert (stop.window, stop.range_share, stop.excursion_share, stop.rounds_max) == (5, 0.20, 0.10, 25)


def test_on_a_scaled_drive_all_times_are_divided_by_the_scale() -> None:
    plan = plan_of(time_scale=100)
    cell = plan.cells[1]
    assert cell.timing.measure_ns == 600 * MILLISECOND_NS
    # A deep queue of large blocks takes a while to fill. That time does not shrink.
    assert cell.timing.warmup_ns == 300 * MILLISECOND_NS
    assert cell.timing.measure_ns % cell.timing.interval_ns == 0


@pytest.mark.parametrize(
    ("name", "is_laid_out"),
    [
        ("pts-iops", False),
        ("pts-lat", False),
        ("pts-wsat", False),
        # Its preconditioning writes at random for a time, which may leave blocks unwritten.
        ("pts-cbw", True),
        ("tkperf-hdd-iops", True),
    ],
)
def test_a_file_is_laid_out_if_a_procedure_may_read_blocks_that_it_has_not_written(
    name: str, is_laid_out: bool
) -> None:
    ground = TargetInfo(GIB, fill=True, is_file=True)
    plan = procedures_plan(load_procedures(name), ground, seed=1)

    assert [each.cell.timing.amount_bytes for each in plan.writes_first] == ([GIB] if is_laid_out else [])
    assert not plan_of(name).writes_first


def test_a_procedure_that_relies_on_the_writes_of_another_has_its_file_laid_out() -> None:
    # After an interruption the file is new, and the procedure that wrote the other one is not measured again.
    campaign = read_procedures(
        campaign_of("", "capacities = 1").replace('"random"', '"sequential"') + READS, "own.toml"
    )
    plan = procedures_plan(campaign, TargetInfo(GIB, fill=True, is_file=True), seed=1)

    assert len(plan.writes_first) == 1


def test_long_trials_have_no_warm_up_on_a_scaled_drive() -> None:
    # What happens after idle time is reported from the first sample on.
    assert {each.timing.warmup_ns for each in plan_of("sustained-write", time_scale=100).cells} == {0}


def test_the_write_cache_is_set_on_devices_only() -> None:
    assert {cell.workload.write_cache for cell in plan_of(is_device=True).cells} == {WriteCache.OFF}
    assert {cell.workload.write_cache for cell in plan_of().cells} == {None}


def test_an_active_range_limits_the_region_and_not_the_amount() -> None:
    campaign = read_procedures('name = "mine"\n[[procedure]]\nuse = "pts-iops"\nactive_range = "75%"\n', "mine.toml")
    plan = procedures_plan(campaign, TargetInfo(4 * GIB, fill=True), seed=1)
    assert {cell.workload.span_bytes for cell in plan.cells} == {3 * GIB}
    assert plan.cells[0].timing.amount_bytes == 8 * GIB


def test_the_cost_is_that_of_the_fewest_and_of_the_most_rounds() -> None:
    plan = plan_of()
    rate = 10**9
    least = plan_cost(plan, rate, overhead_ns=0, at_most=False)
    most = plan_cost(plan, rate, overhead_ns=0)
    fill_ns = 8 * GIB * SECOND_NS // rate
    assert least.duration_ns == fill_ns + 5 * 56 * MINUTE_NS
    assert most.duration_ns == fill_ns + 25 * 56 * MINUTE_NS


def test_a_trial_of_an_amount_writes_no_more_than_its_time_limit_lets_it() -> None:
    cost = plan_cost(own_plan("", 'capacities = 1\nlimit = "100ms"'), 10**9, overhead_ns=0)
    # Four operations of 4 KiB are in flight at the end, and the trial waits for them.
    assert cost.total_bytes_max == 10**8 + 4 * 4096


def test_a_tracking_variable_that_is_no_single_cell_is_refused() -> None:
    text = OWN.replace('block_size = "4KiB"', 'block_size = ["4KiB", "8KiB"]')
    with pytest.raises(UsageError, match="tracks iops of the cell with read = 0, and has 2 such cells"):
        procedures_plan(read_procedures(text, "own.toml"), TargetInfo(GIB, fill=True), seed=1)


@pytest.mark.parametrize(
    ("cells", "track", "hint"),
    [
        ("zones = 4", "read = 0", "these keys do not distinguish zones"),
        ("", "read = 50", 'name a cell of the phase, such as read = 0, block_size = "4KiB"'),
    ],
)
def test_the_hint_of_a_tracking_variable_without_a_cell_says_what_can_be_named(
    cells: str, track: str, hint: str
) -> None:
    steady = f'[procedure.phase.steady]\ntrack = [{{ {track}, quantity = "iops" }}]'
    with pytest.raises(UsageError) as raised:
        own_plan(steady, f'duration = "1s"\n{cells}')
    assert hint in raised.value.hint


def test_idle_time_between_trials_of_rounds_that_is_a_gap_is_refused() -> None:
    steady = '[procedure.phase.steady]\ntrack = [{ read = 0, quantity = "iops" }]'
    with pytest.raises(UsageError, match=r"11\.0 s of idle time between trials"):
        own_plan(steady, 'duration = "1s"\nidle = "11s"')
    assert own_plan(steady, 'duration = "1s"\nidle = "10s"').cells


def test_it_is_also_refused_if_all_times_are_divided() -> None:
    steady = '[procedure.phase.steady]\ntrack = [{ read = 0, quantity = "iops" }]'
    with pytest.raises(UsageError, match=r"11\.0 s of idle time between trials"):
        own_plan(steady, 'duration = "1s"\nidle = "11s"', time_scale=2)


def test_a_round_that_measures_the_same_twice_is_refused() -> None:
    text = campaign_of("", 'duration = "1s"')
    table = text[text.index("[[procedure.phase.cells]]") :]
    with pytest.raises(UsageError, match="twice in a round"):
        procedures_plan(read_procedures(f"{text}\n{table}", "own.toml"), TargetInfo(GIB, fill=True), seed=1)


def test_a_gap_of_no_length_is_refused() -> None:
    text = campaign_of("", 'duration = "1s"').replace('name = "first"', 'name = "first"\ngap = "0s"')
    with pytest.raises(UsageError, match="gap = 0s breaks every window"):
        procedures_plan(read_procedures(text, "own.toml"), TargetInfo(GIB, fill=True), seed=1)


def test_samples_that_cannot_fill_a_window_are_refused() -> None:
    steady = '[procedure.phase.steady]\nsample = "1m"\nblock = "5m"'
    with pytest.raises(UsageError, match="too short for steady state over 5 blocks"):
        own_plan(steady, 'duration = "20m"')


def test_operating_points_of_too_few_cells_are_refused() -> None:
    points = {"phase": "only", "latency_max": "5ms"}
    text = campaign_of("", 'duration = "1s"') + phase_text("at points", {"read": 0, "duration": "1s"}, points=points)
    with pytest.raises(UsageError, match="which has too few cells"):
        procedures_plan(read_procedures(text, "own.toml"), TargetInfo(GIB, fill=True), seed=1)


@pytest.mark.parametrize("mixed", [{"read": [100, 0]}, {"block_size": ["4KiB", "64KiB"]}])
def test_operating_points_of_several_workloads_are_refused(mixed: dict[str, object]) -> None:
    cells = {"read": 0, "queue_depth": [1, 2, 4], "duration": "1s"} | mixed
    points = {"phase": "varied", "latency_max": "5ms"}
    at_points = phase_text("at points", {"read": 0, "duration": "1s"}, points=points)
    text = f'name = "own"\n{table_text("procedure", name="first")}{phase_text("varied", cells)}{at_points}'
    with pytest.raises(UsageError, match="differ in more than jobs and queue_depth"):
        procedures_plan(read_procedures(text, "own.toml"), TargetInfo(GIB, fill=True), seed=1)


def test_operating_points_of_an_unknown_phase_are_refused() -> None:
    text = OWN.replace('name = "rounds"\n', 'name = "rounds"\npoints = { phase = "none", latency_max = "5ms" }\n')
    with pytest.raises(UsageError, match="which is no earlier phase"):
        procedures_plan(read_procedures(text, "own.toml"), TargetInfo(GIB, fill=True), seed=1)


def campaign_of(phase: str, cells: str) -> str:
    table = f'[[procedure.phase.cells]]\npattern = "random"\nread = 0\nblock_size = "4KiB"\nqueue_depth = 4\n{cells}\n'
    return f'name = "own"\n[[procedure]]\nname = "first"\n[[procedure.phase]]\nname = "only"\n{phase}\n{table}'


READS = table_text("procedure", name="second") + phase_text("reads", {"read": 100, "duration": "1s"})


def own_plan(phase: str, cells: str, time_scale: int = 1) -> Plan:
    campaign = read_procedures(campaign_of(phase, cells), "own.toml")
    return procedures_plan(campaign, TargetInfo(GIB, fill=True), seed=1, time_scale=time_scale)


STEADY = '[procedure.phase.steady]\nsample = "60s"\nblock = "30min"\n'


@pytest.mark.parametrize("time_scale", [1, 7, 1000])
def test_a_trial_whose_samples_are_judged_is_decided_after_each_block(time_scale: int) -> None:
    plan = own_plan(STEADY, 'duration = "6h"', time_scale)
    timing = plan.cells[0].timing
    stop = plan.procedures[0].phases[0].stop
    assert isinstance(stop, SteadySamples)
    assert timing.decide_ns == stop.block_ns == 30 * stop.sample_ns
    assert stop.sample_ns % timing.interval_ns == 0
    assert stop.sample_ns == pytest.approx(MINUTE_NS / time_scale, rel=1e-6)
    assert (timing.warmup_ns, timing.measure_ns) == (0, 12 * stop.block_ns)


def test_on_a_scale_of_whole_nanoseconds_the_times_are_exact() -> None:
    timing = own_plan(STEADY, 'duration = "6h"', 128).cells[0].timing
    assert (timing.decide_ns, timing.measure_ns) == (30 * MINUTE_NS // 128, 360 * MINUTE_NS // 128)


def test_samples_of_several_cells_are_refused() -> None:
    with pytest.raises(UsageError, match="the phase only judges samples of one long trial, and has 2 cells"):
        own_plan(STEADY, 'duration = "6h"\njobs = [1, 2]')


@pytest.mark.parametrize("time_scale", [1, 7, 100])
def test_each_interval_of_a_duty_cycle_lies_within_an_on_time_or_an_off_time(time_scale: int) -> None:
    (cell,) = own_plan("", 'duration = "1h"\non_time = "5s"\noff_time = "25s"', time_scale).cells
    on_ns, off_ns = cell.workload.on_ns, cell.workload.off_ns
    assert on_ns is not None
    assert off_ns == 5 * on_ns
    assert on_ns == pytest.approx(5 * SECOND_NS / time_scale, rel=1e-6)
    assert (on_ns % cell.timing.interval_ns, off_ns % cell.timing.interval_ns) == (0, 0)
    assert (cell.timing.warmup_ns, cell.timing.measure_ns) == (0, 720 * on_ns)


def test_a_duty_cycle_that_is_too_short_for_intervals_is_refused() -> None:
    with pytest.raises(UsageError, match="no common divisor of at least 100 ms"):
        own_plan("", 'duration = "1h"\non_time = "5s"\noff_time = "10.01s"', 100)


def test_the_limit_of_an_amount_is_scaled_as_well() -> None:
    timing = own_plan("", 'capacities = 2\nlimit = "6h"', 100).cells[0].timing
    assert (timing.amount_bytes, timing.limit_ns) == (2 * GIB, 216 * SECOND_NS)


@pytest.mark.parametrize("test", ["iops", "lat"])
def test_the_exact_forms_of_tkperf_write_two_capacities_per_job_and_repeat_their_offsets(test: str) -> None:
    text = f'name = "own"\n[[procedure]]\nuse = "tkperf-{test}EXACT"\ndefaults = {{ jobs = 4, queue_depth = 32 }}\n'
    amounts, repeating = {}, {}
    for exact in ("", "-exact"):
        campaign = read_procedures(text.replace("EXACT", exact), "own.toml")
        plan = procedures_plan(campaign, TargetInfo(3 * GIB, fill=True), seed=1)
        amounts[exact] = plan.cells[0].timing.amount_bytes
        repeating[exact] = plan.procedures[0].repeats_offsets
    assert amounts == {"": 6 * GIB, "-exact": 24 * GIB}
    assert repeating == {"": False, "-exact": True}


def test_an_amount_per_job_needs_capacities() -> None:
    text = OWN.replace('duration = "1s"', 'duration = "1s"\nper_job = true', 1)
    assert text != OWN
    with pytest.raises(UsageError, match="per_job needs capacities"):
        read_procedures(text, "own.toml")
