"""The measured values as Markdown tables in ``verify/results/``."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import floor, log10
from textwrap import fill
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
from verify.mechanisms import NONE_MIN, RIGHT_MIN, Named
from verify.rates import SECONDS as RATE_S
from verify.rates import Delivered
from verify.real_time import LOAD, SERVICE_NS, Answered
from verify.real_time import SECONDS as SERVED_S
from verify.regimes import Looked
from verify.repeats import BUDGET_REPEATS, Kept
from verify.same_bits import JOBS


def model_rows(measured: MeasuredModel) -> Iterator[tuple[str, ...]]:
    """Each cell: the published value, the value of the model, and their ratio."""
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
    """One quantity of a queue."""
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
    """One arrival rate in real time."""
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
    """One quantity of a queue in real time."""
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
    """The knees found in sweeps over a queue."""
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
    """One model on every engine."""
    return (f"sim:{model}", *digits.values(), yes_or_no(holds=len(set(digits.values())) == 1))


def yes_or_no(*, holds: bool) -> str:
    """A failure is in capitals."""
    return "yes" if holds else "NO"


def three_digits(value: float) -> str:
    """At least three digits, and all before the point."""
    return f"{value:,.{max(0, 2 - floor(log10(value)))}f}"


def _models() -> str:
    return page(
        "Models against their sources",
        "Every published value compared with a separate simulated drive. [The page of each "
        "model](../../docs/models/README.md) gives the reason for each difference of more than 5 %.",
        ("model", "cell", "source", "published", "model", "ratio"),
        (row for each in kept_models().values() for row in model_rows(each)),
    )


def _closed_forms() -> str:
    return page(
        "Simulated queues against closed forms",
        "Response times in units of the mean service time; 99 % confidence intervals of the mean over "
        f"{len(SEEDS)} seeds ({SEEDS[0]} to {SEEDS[-1]}).",
        (
            "queue",
            "load",
            "arrivals per seed",
            "quantity",
            "closed form",
            "measured",
            "half-width of the interval",
            "agrees",
        ),
        map(closed_form_row, kept_closed_forms()),
    )


TABLES: Final[dict[str, Callable[[], str]]] = {"models.md": _models, "closed-forms.md": _closed_forms}
"""Each file in ``verify/results/``, and the function that generates it."""


def rates_page(found: Iterable[Delivered]) -> str:
    """The throughput of open loops in real time."""
    return page(
        "Rates in real time",
        f"Open loops on the null ring, {RATE_S} s each after a warm-up of 1 s: arrival rate and achieved throughput. "
        "The engine lag is the delay between intended start and submission. It includes the effect of other load on "
        "the host.",
        ("arrivals", "arrival rate, 1/s", "achieved, 1/s", "error", "engine lag, mean", "engine lag, max", "agrees"),
        map(delivered_row, found),
    )


def real_time_page(found: Iterable[Answered]) -> str:
    """The response times of one server in real time."""
    return page(
        "A queue in real time",
        f"One exponential server with a mean of {format_latency(SERVICE_NS)} behind a ring of the real worker, with "
        f"Poisson arrivals at a load of {LOAD:.0%} for {SERVED_S} s. Response times count from the intended start, in "
        "units of the mean service time. The engine lag is the delay between intended start and submission; in "
        "theory it is 0.",
        ("quantity", "arrivals", "M/M/1", "measured", "error", "engine lag, mean", "agrees"),
        map(answered_row, found),
    )


def knee_page(found: Iterable[FoundKnees]) -> str:
    """The knees found in sweeps over queues."""
    return page(
        "Knees of queues",
        f"Queue-depth sweeps from {DEPTHS[0]} to {DEPTHS[-1]} over simulated queues, {len(KNEE_SEEDS)} seeds each, "
        f"{REPEATS} repeats of {OPERATIONS:,} operations. A closed loop of N operations over c servers has a "
        "throughput of min(N, c) over the service time, so the true knee is at c. One server has the same throughput "
        "at every queue depth. With 256 or more servers the sweep is a straight line up to its end. Neither has a "
        "detectable knee.",
        ("servers", "service", "expected", "found", "correct", "agrees"),
        map(knee_row, found),
    )


def same_bits_page(found: Mapping[str, Mapping[str, str]], engines: Sequence[str]) -> str:
    """The hashes of every model on these engines, by their names."""
    return page(
        "Identical results from every build",
        f"The hashed results of a new drive under {len(JOBS)} jobs, including intervals and histograms. The installed "
        "engine is fully optimised, debug is not optimised, native is for this machine's CPU, small is optimised for "
        "size.",
        ("model", *engines, "same"),
        (same_bits_row(model, digits) for model, digits in found.items()),
    )


def covered_row(each: Covered) -> tuple[str, ...]:
    """One quantity over campaigns with a target precision."""
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
    """The coverage of intervals at the time when the stopping rule ended the campaign."""
    runs = sum(each.runs for each in found if each.figure == FIGURES[0])
    shares = ", ".join(
        f"{sum(each.held for each in found if each.figure == figure)} of "
        f"{sum(each.met for each in found if each.figure == figure)} for {figure}"
        for figure in FIGURES
    )
    return page(
        "Intervals after the stopping rule",
        f"{runs} campaigns of one cell, each measured until throughput, mean latency and p99 reached the requested "
        f"precision, compared with the mean of a run of {TRUTH}. 95 % confidence intervals contained it in {shares}. "
        "A row passes if a coverage of 92 to 98 % cannot be ruled out.",
        (
            *("target", "workload", "requested", "quantity", "reached", "covered", "error, median"),
            *("device time, median", "passes"),
        ),
        map(covered_row, found),
    )


def kept_row(each: Kept) -> tuple[str, ...]:
    """One quantity over synthetic campaigns with one standard deviation between repeats."""
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
    """The coverage of intervals if repeats differ: synthetic campaigns."""
    return page(
        "Intervals of differing repeats: synthetic campaigns",
        f"{found[0].campaigns:,} campaigns per row, with synthetic repeats through the scheduler and the estimator. "
        "The deviation between repeats and the requested precision are in standard errors of a single first repeat. "
        f"The budget is {BUDGET_REPEATS} first repeats. *Covered* includes all intervals, whether the campaign "
        "reached the precision or its budget ended; *of those that stopped* includes only campaigns that reached the "
        "precision. The device time shows the cost of differences between repeats; the first row is without "
        "differences. A row passes if a coverage of 94 to 97 % cannot be ruled out.",
        (
            "deviation between repeats",
            "requested",
            "quantity",
            "stopped at the precision",
            "covered",
            "covered, of those that stopped",
            "repeats",
            "device time",
            "passes",
        ),
        map(kept_row, found),
    )


def differing_row(each: Differing) -> tuple[str, ...]:
    """One quantity over campaigns through the engine with one standard deviation between repeats."""
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
    """The coverage of intervals if repeats differ: through the engine."""
    return page(
        "Intervals of differing repeats: through the engine",
        f"{found[0].campaigns} campaigns per row on a drive that changes its speed every {SEGMENT_NS // 10**6} ms. "
        f"Each requests {DIFFERING_ASKED:g} standard errors of a single first repeat ({100 * ERROR:g} %), and is "
        f"compared with the mean of {len(TRUTH_SEEDS)} long repeats on such drives. A row passes if the binomial test "
        "does not exclude 95 %.",
        (
            *("deviation between repeats", "quantity", "stopped at the precision", "covered"),
            *("repeats", "device time", "passes"),
        ),
        map(differing_row, found),
    )


def looked_row(each: Looked) -> tuple[str, ...]:
    """Runs with a regime change, or without one."""
    return (
        each.what,
        f"{each.changed} of {each.runs}",
        *("–" if off is None else f"{off / SECOND_NS:.2f} s" for off in (each.off_ns_median, each.off_ns_max)),
        yes_or_no(holds=each.holds),
    )


def regimes_page(found: Iterable[Looked]) -> str:
    """Regime changes, detected and not detected."""
    return page(
        "Regime changes",
        "Repeats of a minute: changes detected although nothing changes (at most 1 %), and the difference between "
        "the time of a change in the model and the nearest detected change (at most 2 s). Garbage collection starts "
        "when the drive's own counter shows that it moves data.",
        ("event", "runs with a change", "error, median", "error, max", "passes"),
        map(looked_row, found),
    )


def named_row(each: Named) -> tuple[str, ...]:
    """Drives with one mechanism, or with none."""
    return (
        str(each.mechanism or "none"),
        f"{each.right} of {each.drives}",
        f"{each.without_counters} of {each.drives}",
        ", ".join(each.others) or "–",
    )


def mechanisms_page(found: Iterable[Named]) -> str:
    """Explanations of drives whose mechanism is known."""
    return page(
        "Explanations",
        "Simulated drives with random parameters and one mechanism switched on, or none, measured with the shipped "
        f"profile mechanisms: runs that name this mechanism first, or none (required: {RIGHT_MIN:.0%} of all drives "
        f"with a mechanism, {NONE_MIN:.0%} of those without). Without counters, the drive reports neither the bytes "
        "that it wrote to its media nor its throttling, as most drives.",
        ("mechanism", "named first", "without counters", "named first instead"),
        map(named_row, found),
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
        f"Every cell is measured until throughput, mean latency and p99 are known to {PRECISION_PERCENT:g} %, with a "
        f"budget of a fifth of the device time of {FIXED_REPEATS} fixed repeats of {DURATION_S} s. Both are compared "
        f"with one repeat of {TRUTH_S:,} s per cell. Errors are medians over the three quantities of all cells. A "
        "fifth is enough if all cells reach the precision, and at most one quantity in twenty has a larger error "
        "than requested. If errors are purely random, they fall with the square root of time: a fifth of it leaves "
        "2.2 times the error.",
        (
            *("target", "cells at the precision", "with fixed times", "device time", "error", "error, fixed times"),
            *("error larger than requested", "with fixed times", "a fifth is enough", "errors no larger"),
        ),
        map(spared_row, found),
    )


def page(title: str, lead: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A page with one table."""
    lines = [heads, ["---"] * len(heads), *rows]
    wrapped = fill(lead, 110, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"# {title}", "", wrapped, "", *(f"| {' | '.join(line)} |" for line in lines), ""])
