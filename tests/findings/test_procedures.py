"""Findings about standard procedures."""

from collections.abc import Callable

from iosonde.findings import Severity
from iosonde.findings.case import trial_name
from iosonde.records import Censored, Experiment, Neighbour, Outcome, PhasePlan, Rounds, RunRecord, Timing
from iosonde.vocabulary import PhaseRole
from tests.builders import SECOND_NS, cell_plan, cell_record, target_facts, workload
from tests.findings.runs import only
from tests.procedure_builder import READ, WRITE, operations, procedure_run, steady_procedure, write_rounds


def busy_rounds(*values: int, share_percent: int = 100) -> RunRecord:
    """Rounds of reads on a whole device, whose latencies agree with their rates and a share of the queue depth of 8."""
    of_depth_ns = 8 * SECOND_NS * share_percent // 100
    # Operations in flight at the end are as old as the completed ones became.
    left = Censored(count=8, age_ns_min=0, age_ns_max=of_depth_ns // values[-1], latency_ns_max=8 * SECOND_NS)
    records = [cell_record(READ, operations(READ, value, of_depth_ns // value), censored=left) for value in values]
    rounds = [{READ.cell: record} for record in records]
    target = target_facts(span_bytes=100 * 2**30)
    return procedure_run(steady_procedure((READ,), (READ,)), rounds, (READ,), target=target)


def filled(written: int) -> RunRecord:
    """Steady rounds of reads after a preconditioning that should have written 100 operations."""
    amount = Timing(warmup_ns=0, measure_ns=0, interval_ns=SECOND_NS, amount_bytes=100 * 4096)
    fill = cell_plan(workload(read_percent=0, queue_depth=8), Experiment.PROCEDURE, timing=amount)
    before = PhasePlan(name="fill", role=PhaseRole.PRECONDITIONING, cells=(fill.cell,), stop=Rounds(rounds=1))
    of_depth_ns = 8 * SECOND_NS
    return procedure_run(
        steady_procedure((READ,), (READ,), phases=(before, *steady_procedure((READ,), (READ,)).phases)),
        [
            {fill.cell: cell_record(fill, operations(fill, written, of_depth_ns // written), measured_ns=SECOND_NS)},
            *[{READ.cell: cell_record(READ, operations(READ, 10_000, of_depth_ns // 10_000))}] * 5,
        ],
        (fill, READ),
        phase=["fill", *["rounds"] * 5],
        target=target_facts(span_bytes=100 * 2**30),
    )


FIRES: dict[str, Callable[[], RunRecord]] = {
    # The line changes by 12 % of the average.
    "steady-state-missed": lambda: busy_rounds(9400, 9700, 10_000, 10_300, 10_600),
    # The queue of 8 is refilled 3 times, and what completed explains 80 % of it.
    "preconditioning-failed": lambda: filled(99),
    "latency-cut-short": lambda: busy_rounds(*[24] * 5, share_percent=80),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    # It changes by 8 %.
    ("steady-state-missed", lambda: busy_rounds(9600, 9800, 10_000, 10_200, 10_400)),
    ("preconditioning-failed", lambda: filled(100)),
    ("latency-cut-short", lambda: busy_rounds(*[24] * 5, share_percent=96)),
]


def test_a_procedure_without_steady_state_says_after_how_many_rounds() -> None:
    found = only(FIRES["steady-state-missed"](), "steady-state-missed")

    assert found.statement.startswith("Test: steady state was not reached after 5 rounds.")
    assert (found.severity, found.cells) == (Severity.DOUBTFUL, (READ.cell,))


def test_trials_that_end_before_the_queue_completes_say_how_much_longer_operations_take() -> None:
    found = only(FIRES["latency-cut-short"](), "latency-cut-short")

    assert "the completed ones explain 80 % of the operations in flight" in found.statement
    assert "the true mean latency is about 1.25 times that of the report" in found.statement
    assert (found.severity, found.cells) == (Severity.DOUBTFUL, (READ.cell,))


def test_a_trial_is_named_with_its_phase_unless_that_has_only_rounds() -> None:
    record = FIRES["latency-cut-short"]().cells[2]

    assert trial_name(record) == "round 3"
    assert trial_name(record.model_copy(update={"phase": "after 5 minutes idle"})) == "round 3 (after 5 minutes idle)"
    # A run of an older version.
    assert trial_name(record.model_copy(update={"phase": None})) == "round 3"


def test_an_interrupted_run_says_that_steady_state_is_not_decided() -> None:
    run = procedure_run(steady_procedure(), write_rounds(100, 200)).model_copy(update={"finished": False})

    found = only(run, "steady-state-missed")
    assert found.statement.startswith("Test: steady state was not decided: the run ended after 2 of at most 25 rounds.")
    assert found.statement.endswith("It is not known whether the target still changed.")
    assert found.deciding_test == "Let the procedure run to its end."


def test_a_round_with_an_interrupted_trial_is_not_complete() -> None:
    cut = cell_record(WRITE, operations(WRITE, 300), outcome=Outcome.CUT)
    run = procedure_run(steady_procedure(), write_rounds(100, 200, cut)).model_copy(update={"finished": False})

    statement = only(run, "steady-state-missed").statement
    assert statement.startswith("Test: steady state was not decided: the run ended after 2 of at most 25 rounds.")


def test_a_rule_over_trials_includes_those_of_each_phase_that_has_figures() -> None:
    stimuli = tuple(
        PhasePlan(name=name, role=PhaseRole.STIMULUS, cells=(READ.cell,), stop=Rounds(rounds=1))
        for name in ("at once", "after 5 minutes idle")
    )
    shared = cell_record(READ, operations(READ, 100), neighbours=(Neighbour(process=77, device="sda"),))
    run = procedure_run(
        steady_procedure((READ,), (READ,), phases=stimuli),
        [{READ.cell: shared}, {READ.cell: 100}],
        (READ,),
        phase=[each.name for each in stimuli],
    )

    assert only(run, "neighbours").evidence == ((READ.cell, "round 1 (at once)"),)


def test_rounds_that_left_the_steady_state_say_in_which_round() -> None:
    run = procedure_run(steady_procedure(), write_rounds(100, 100, 100, 100, 100, 300))

    assert "left again in round 6" in only(run, "steady-state-missed").statement


def test_steady_values_with_too_long_a_gap_say_that_the_gap_is_the_reason() -> None:
    run = procedure_run(steady_procedure(), write_rounds(100, 100, 100, 100, 100), gaps_s={3: 60})

    found = only(run, "steady-state-missed")
    assert "too long a gap between two trials interrupts each window" in found.statement
    assert "still changed" not in found.statement
    assert found.deciding_test == "Run the procedure again without gaps."
