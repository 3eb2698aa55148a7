"""Labels for a whole run that a reader must see before any of its numbers, for example ``simulated``."""

from dataclasses import dataclass

from iosonde.analysis.states import trials_measured
from iosonde.printing import trials_text
from iosonde.records import Procedures, RunHeader, RunRecord


@dataclass(frozen=True)
class Brand:
    """A short label, and the sentence that explains it."""

    word: str
    sentence: str


def brands_of(run: RunRecord) -> tuple[Brand, ...]:
    """The brands of a run: each limits what its numbers can be used for. The most severe is first."""
    header = run.header
    profiles = dict.fromkeys(hello.build_profile for _, hello in header.engines)
    brands = [
        Brand("debug engine", f"The engine is a {profile} build, so the results are not valid.")
        for profile in profiles
        if profile != "release"
    ]
    if header.target.kind == "null":
        brands.append(
            Brand(
                "null target",
                "No I/O was issued. These results show the overhead of the engine, not the performance of a drive.",
            )
        )
    if header.is_simulated:
        brands.append(
            Brand("simulated", "These results come from a simulated drive in virtual time, not from a real drive.")
        )
        drives = [target.simulation for target in header.targets if target.simulation is not None]
        kinds = [str(fault["kind"]).replace("_", " ") for drive in drives for fault in drive.faults]
        if kinds:
            names = ", ".join(dict.fromkeys(kinds))
            brands.append(Brand("injected faults", f"Faults were injected into the simulated drive: {names}."))
    brands += _scaled(header)
    if (targets := len(header.targets)) > 1:
        sentence = f"Results are totals over {targets} targets, measured at the same time with the same workload."
        brands.append(Brand(f"totals of {targets} targets", sentence))
    short = [each.title or each.name for each in header.plan.procedures if each.is_like]
    if short:
        sentence = (
            f"Short forms, which must not be presented as the tests themselves: {', '.join(short)}. Drives with "
            "an SLC cache and volumes with burst credits can show several times the performance of the full forms."
        )
        brands.append(Brand("PTS-like", sentence))
    if run.running:
        brands.append(Brand("running", f"The run is in progress. {_measured(run)} are complete."))
    elif not run.finished:
        brands.append(
            Brand("unfinished", f"The run was interrupted after {_measured(run)}. Continue it with `iosonde resume`.")
        )
    if run.damage:
        brands.append(Brand("damaged", f"Part of the run record is unreadable: {run.damage.rstrip('.')}."))
    if header.plan.quick:
        brands.append(Brand("quick", "The run was too short: use it only as a functional check."))
    return tuple(brands)


def _scaled(header: RunHeader) -> list[Brand]:
    """How much smaller the capacity and the times of procedures are; of other runs the target says it."""
    if not isinstance(header.plan.stop, Procedures):
        return []
    time = header.plan.stop.time_scale
    # The targets of a run may differ in this.
    capacities = sorted({each.simulation.scale for each in header.targets if each.simulation is not None} - {1})
    capacity = " and ".join(f"1:{each}" for each in capacities)
    if time > 1 and capacities == [time]:
        sentence = f"Capacity and all times are {time:,} times smaller than those of the procedure."
        return [Brand(f"scaled 1:{time} in capacity and time", sentence)]
    words, sentences = [], []
    if capacities:
        words.append(f"{capacity} in capacity")
        sentences.append(f"The simulated drive has {capacity} of the capacity of its model.")
    if time > 1:
        words.append(f"1:{time} in time")
        sentences.append(f"All times are {time:,} times smaller than those of the procedure.")
    return [Brand(f"scaled {', '.join(words)}", " ".join(sentences))] if words else []


def _measured(run: RunRecord) -> str:
    plan = run.header.plan
    number = trials_measured(run.cells)
    if plan.procedures:
        # Imported here: few runs have procedures, and it imports NumPy.
        from iosonde.analysis.procedures.from_run import last_attempts

        last = last_attempts(run)
        number = trials_measured([each for each in run.cells if each.order in last])
    return trials_text(number, plan.trials_least, is_fixed=plan.is_fixed)
