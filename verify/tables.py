"""What was measured as Markdown tables, for those who look into ``verify/results/``."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import floor, log10
from typing import Final

from iosonde.analysis.precision import FIGURES
from iosonde.units import SECOND_NS, format_latency
from verify.cells import source_of
from verify.closed_forms import SEEDS
from verify.coverage import TRUTH, Covered
from verify.differing import ASKED as DIFFERING_ASKED
from verify.differing import ERROR, SEGMENT_NS, TRUTH_SEEDS, Differing
from verify.kept import ClosedForm, MeasuredModel, kept_closed_forms, kept_models
from verify.knee import DEPTHS, OPERATIONS, REPEATS, FoundKnees
from verify.knee import SEEDS as KNEE_SEEDS
from verify.lab import DURATION_S, PRECISION_PERCENT, TRUTH_S, Spared
from verify.lab import REPEATS as FIXED_REPEATS
from verify.rates import SECONDS as RATE_S
from verify.rates import Delivered
from verify.real_time import LOAD, SERVICE_NS, Answered
from verify.real_time import SECONDS as SERVED_S
from verify.regimes import Looked
from verify.repeats import BUDGET_REPEATS, Kept
from verify.same_bits import JOBS


def model_rows(measured: MeasuredModel) -> Iterator[tuple[str, ...]]:
    """Each cell: what its source says, what the model gives, and their ratio."""
    source = source_of(measured.model)
    for cell, given in zip(source.cells, measured.cells, strict=True):
        yield (
            f"sim:{measured.model}",
            cell.name,
            cell.document,
            f"{cell.expected:,g} {cell.unit}" if cell.expected < 10**6 else f"{cell.expected:,.0f} {cell.unit}",
            three_digits(given.seen),
            f"{given.seen / cell.expected:.2f}",
        )


def closed_form_row(each: ClosedForm) -> tuple[str, ...]:
    """A figure of a queue."""
    return (
        each.queue,
        f"{each.load:.0%}",
        f"{each.arrivals:,}",
        each.figure,
        f"{each.expected:.4f}",
        f"{each.mean:.4f}",
        f"{each.half_width:.4f} ({each.half_width / each.expected:.2%})",
        yes_or_no(holds=each.holds),
    )


def delivered_row(each: Delivered) -> tuple[str, ...]:
    """A rate in real time."""
    return (
        each.arrivals,
        f"{each.expected:,.0f}",
        f"{each.measured:,.0f}",
        f"{each.off:+.3%}",
        format_latency(each.own_lag_ns_mean),
        format_latency(each.own_lag_ns_max),
        yes_or_no(holds=each.holds),
    )


def answered_row(each: Answered) -> tuple[str, ...]:
    """A figure of a queue in real time."""
    return (
        each.figure,
        f"{each.arrivals:,}",
        f"{each.expected:.4f}",
        f"{each.measured:.4f}",
        f"{each.off:+.2%}",
        format_latency(each.own_lag_ns_mean),
        yes_or_no(holds=each.holds),
    )


def knee_row(each: FoundKnees) -> tuple[str, ...]:
    """What the sweeps over a queue said."""
    said = Counter(str(knee.reason) if knee.point is None else str(knee.point.queue_depth) for knee in each.knees)
    return (
        str(each.servers.number),
        each.servers.service,
        str(each.servers.expected or f"{each.servers.number}, within one step"),
        ", ".join(f"{answer} ({times} x)" for answer, times in said.most_common()),
        f"{each.right} of {len(each.knees)}",
        yes_or_no(holds=each.holds),
    )


def same_bits_row(model: str, digits: Mapping[str, str]) -> tuple[str, ...]:
    """A model on every engine."""
    return (f"sim:{model}", *digits.values(), yes_or_no(holds=len(set(digits.values())) == 1))


def yes_or_no(*, holds: bool) -> str:
    """What does not hold is loud."""
    return "yes" if holds else "NO"


def three_digits(value: float) -> str:
    """At least three digits, and all before the point."""
    return f"{value:,.{max(0, 2 - floor(log10(value)))}f}"


def _models() -> str:
    return page(
        "Models against their sources",
        "Every figure that a source gives, on a simulated drive of its own. What differs by more than 5 % says why on "
        "[the model's page](../../docs/models/README.md).",
        ("model", "cell", "source", "source says", "model gives", "ratio"),
        (row for each in kept_models().values() for row in model_rows(each)),
    )


def _closed_forms() -> str:
    return page(
        "Simulated queues against closed forms",
        "Response times in units of the mean service; 99 % intervals of the mean over "
        f"{len(SEEDS)} seeds ({SEEDS[0]} to {SEEDS[-1]}).",
        ("queue", "load", "arrivals a seed", "figure", "closed form", "measured", "half the interval", "holds"),
        map(closed_form_row, kept_closed_forms()),
    )


TABLES: Final[dict[str, Callable[[], str]]] = {"models.md": _models, "closed-forms.md": _closed_forms}
"""Each file in ``verify/results/``, and what writes its text."""


def rates_page(found: Iterable[Delivered]) -> str:
    """What open loops gave in real time."""
    return page(
        "Rates in real time",
        f"Open loops on the null ring, {RATE_S} s each after one of warm-up: what was asked for, and what came. Own\n"
        "lag is how late the engine submitted what was wanted; a host that others use shows there.",
        ("arrivals", "asked, operations/s", "given, operations/s", "off by", "own lag, mean", "own lag, max", "holds"),
        map(delivered_row, found),
    )


def real_time_page(found: Iterable[Answered]) -> str:
    """What one server gave in real time."""
    return page(
        "A queue in real time",
        f"One exponential server with a mean of {format_latency(SERVICE_NS)} behind a ring of the real worker, Poisson"
        f"\narrivals at a load of {LOAD:.0%} for {SERVED_S} s. Responses are counted from when operations were wanted,"
        "\nin units of the mean service. Own lag is how late the engine submitted; theory knows of none.",
        ("figure", "arrivals", "M/M/1 says", "measured", "off by", "own lag, mean", "holds"),
        map(answered_row, found),
    )


def knee_page(found: Iterable[FoundKnees]) -> str:
    """What sweeps over queues said of their knees."""
    return page(
        "Knees of queues",
        f"Sweeps of depth {DEPTHS[0]} to {DEPTHS[-1]} over simulated queues, {len(KNEE_SEEDS)} seeds each, {REPEATS}\n"
        f"repeats of {OPERATIONS:,} operations. A closed loop of N operations over c servers gives min(N, c) over the\n"
        "service time, so that the true knee is at c. One server is as fast at every depth; with 256 or more the\n"
        "sweep is a straight line up to its end. Neither has a knee that can be told.",
        ("servers", "service", "should say", "said", "right", "holds"),
        map(knee_row, found),
    )


def same_bits_page(found: Mapping[str, Mapping[str, str]], engines: Sequence[str]) -> str:
    """What every model gave on these engines, by their names."""
    return page(
        "The same bits from every build",
        f"What a new drive gives under {len(JOBS)} jobs, intervals and histograms and all, hashed. The installed\n"
        "engine is optimised whole; debug is not optimised at all, native is for this machine's CPU, small for size.",
        ("model", *engines, "same"),
        (same_bits_row(model, digits) for model, digits in found.items()),
    )


def covered_row(each: Covered) -> tuple[str, ...]:
    """A figure of a campaign that measured until it knew it."""
    return (
        f"sim:{each.case.model}",
        each.case.what,
        f"{each.case.precision_percent:g} %",
        each.figure,
        f"{each.met} of {each.runs}",
        f"{each.share:.1%}",
        f"{each.error_median:.2%}",
        f"{each.device_s_median:.1f} s",
        yes_or_no(holds=each.holds),
    )


def coverage_page(found: Sequence[Covered]) -> str:
    """How often intervals hold that were taken where the stopping rule stopped."""
    runs = sum(each.runs for each in found if each.figure == FIGURES[0])
    shares = ", ".join(
        f"{sum(each.held for each in found if each.figure == figure)} of "
        f"{sum(each.met for each in found if each.figure == figure)} for {figure}"
        for figure in FIGURES
    )
    return page(
        "Intervals behind the stopping rule",
        f"{runs} campaigns of one cell, each measured until throughput, mean latency and p99 were known as well as\n"
        f"was asked, against the mean of a run of {TRUTH}. 95 % intervals held in {shares}.\n"
        "A row holds where 92 to 98 % can't be ruled out.",
        ("target", "workload", "asked", "figure", "known", "held", "off by, median", "device time, median", "holds"),
        map(covered_row, found),
    )


def kept_row(each: Kept) -> tuple[str, ...]:
    """A figure over synthetic campaigns of one spread between repeats."""
    return (
        f"{each.ratio:g}",
        f"{each.asked:g}",
        each.figure,
        f"{each.met / each.campaigns:.1%}",
        f"{each.share:.2%}",
        f"{each.held_of_met / each.met:.2%}" if each.met else "–",
        f"{each.repeats:.1f}",
        f"{each.device_s:.1f} s",
        yes_or_no(holds=each.holds),
    )


def repeats_page(found: Sequence[Kept]) -> str:
    """How often intervals hold where repeats truly differ: synthetic campaigns."""
    return page(
        "Intervals where repeats truly differ: synthetic campaigns",
        f"{found[0].campaigns:,} campaigns a row, of synthetic repeats through the scheduler and the estimator. The\n"
        "spread between repeats and what is asked are in standard errors that a first repeat has by itself. The\n"
        f"budget holds {BUDGET_REPEATS} first repeats. *Held* are all intervals, whether the campaign stopped as\n"
        "known or its budget ended; *of those that stopped* are the ones that were called known. What differences\n"
        "between repeats cost is in the device time: that of the first row is the price of none. A row holds where 94\n"
        "to 97 % can't be ruled out.",
        (
            "spread between repeats",
            "asked",
            "figure",
            "stopped as known",
            "held",
            "held, of those that stopped",
            "repeats",
            "device time",
            "holds",
        ),
        map(kept_row, found),
    )


def differing_row(each: Differing) -> tuple[str, ...]:
    """A figure over campaigns through the engine of one spread between repeats."""
    return (
        f"{each.ratio:g}",
        each.figure,
        f"{each.met / each.campaigns:.1%}",
        f"{each.held} of {each.intervals} ({each.share:.1%})",
        f"{each.repeats:.1f}",
        f"{each.device_s:.1f} s",
        yes_or_no(holds=each.holds),
    )


def differing_page(found: Sequence[Differing]) -> str:
    """How often intervals hold where repeats truly differ: through the engine."""
    return page(
        "Intervals where repeats truly differ: through the engine",
        f"{found[0].campaigns} campaigns a row on a drive that changes its speed every {SEGMENT_NS // 10**6} ms, each\n"
        f"asked for {DIFFERING_ASKED:g} standard errors of a first repeat by itself ({100 * ERROR:g} %), against the\n"
        f"mean of {len(TRUTH_SEEDS)} long repeats on such drives. A row holds where the binomial test does not\n"
        "exclude 95 %.",
        ("spread between repeats", "figure", "stopped as known", "held", "repeats", "device time", "holds"),
        map(differing_row, found),
    )


def looked_row(each: Looked) -> tuple[str, ...]:
    """Runs in which a level changes, or none does."""
    return (
        each.what,
        f"{each.changed} of {each.runs}",
        *("–" if off is None else f"{off / SECOND_NS:.2f} s" for off in (each.off_ns_median, each.off_ns_max)),
        yes_or_no(holds=each.holds),
    )


def regimes_page(found: Iterable[Looked]) -> str:
    """Changes of level, found and not found."""
    return page(
        "Changes of level",
        "Repeats of a minute: changes found where nothing changes (at most 1 %), and how far from the moment at\n"
        "which a model switched the nearest one was found (at most 2 s). Collection sets in where the drive begins to\n"
        "move data by its own count.",
        ("what happens", "runs with a change", "off by, median", "off by, at most", "holds"),
        map(looked_row, found),
    )


def spared_row(each: Spared) -> tuple[str, ...]:
    """A model's lab campaign."""
    return (
        f"sim:{each.model}",
        f"{each.met} of {each.cells}",
        f"{each.met_fixed} of {each.cells}",
        f"{each.device_s:.0f} s of {each.fixed_s:.0f} s ({each.share:.2f})",
        f"{each.error:.2%}",
        f"{each.error_fixed:.2%}",
        f"{each.beyond:.1%}",
        f"{each.beyond_fixed:.1%}",
        yes_or_no(holds=each.known),
        yes_or_no(holds=each.no_larger),
    )


def lab_page(found: Iterable[Spared]) -> str:
    """The lab campaign in a fifth of the time."""
    return page(
        "The lab campaign in a fifth of the time",
        f"Every cell until throughput, mean latency and p99 are known to {PRECISION_PERCENT:g} %, with a budget of a\n"
        f"fifth of the device time of {FIXED_REPEATS} fixed repeats of {DURATION_S} s; both against one repeat of\n"
        f"{TRUTH_S:,} s a cell. Errors are medians over the three figures of all cells. A fifth is enough where all\n"
        "cells are known in it, and at most one figure in twenty is off by more than was asked for. Where nothing but\n"
        "chance is in a figure, its error falls with the square root of time: a fifth of it leaves 2.2 times as much.",
        (
            *("target", "cells known", "by fixed times", "device time", "off by", "off by, fixed times"),
            *("off by more than asked", "by fixed times", "a fifth is enough", "errors no larger"),
        ),
        map(spared_row, found),
    )


def page(title: str, lead: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A page with one table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join([f"# {title}", "", lead, "", *(f"| {' | '.join(line)} |" for line in lines), ""])
