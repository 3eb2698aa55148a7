"""A plan in words, for `plan` and for the head of `run`."""

from iosonde.campaign import Survey
from iosonde.plans import Cost
from iosonde.records import Experiment
from iosonde.units import format_amount, format_bandwidth, format_duration, format_size

EXPERIMENTS = {
    Experiment.BASELINE: "zero-queue baseline",
    Experiment.BLOCK_SIZE: "block-size sweep",
    Experiment.MIX: "read/write mix",
    Experiment.QUEUE_DEPTH: "queue-depth sweep",
    Experiment.TAIL: "tail",
}


def plan_lines(ahead: Survey, cost: Cost) -> list[str]:
    """What will be done, how long it takes and what it wears."""
    place, plan = ahead.place, ahead.plan
    timing = plan.cells[0].timing
    made = "will be made and removed" if place.make else "exists and will be overwritten"
    span = plan.span_bytes
    each = f"{format_duration(timing.warmup_ns)} warm-up + {format_duration(timing.measure_ns)}"
    rate = format_bandwidth(cost.assumed_bytes_per_s)
    most = f"{format_amount(cost.write_bytes_max)} if it takes {rate} (plan --write-rate says otherwise)"
    return [
        f"target    {place.path or 'null:'} ({format_size(span)}, {made})",
        f"profile   {plan.profile}{' (quick)' if plan.quick else ''}: {_experiments(ahead)}",
        f"cells     {cost.cells} distinct x {plan.repeats} repeats, each {each}",
        f"time      {format_duration(cost.duration_ns)}",
        f"writes    {format_amount(cost.fill_bytes)} to fill it, then up to {most}",
        f"fills     at most {cost.fills(span):.0f} of the {format_size(span)} used",
    ]


def _experiments(ahead: Survey) -> str:
    counts = {
        experiment: sum(experiment in cell.experiments for cell in ahead.plan.cells) for experiment in EXPERIMENTS
    }
    return ", ".join(f"{EXPERIMENTS[experiment]} {count}" for experiment, count in counts.items() if count)


def cell_lines(ahead: Survey) -> list[str]:
    """Every cell with the experiments that it serves."""
    return [
        f"  {cell.cell:<44} {', '.join(EXPERIMENTS[each] for each in cell.experiments)}" for cell in ahead.plan.cells
    ]
