"""The verdict for a purpose in words, for the terminal and for reports."""

from typing import Final

from iosonde.charts.quantities import NO_VALUE
from iosonde.expectations import Checked, CheckedResults, Verdict
from iosonde.expectations.file import Confidence
from iosonde.expectations.purpose import Longer, PurposeOutcome
from iosonde.report.expected_words import bound_text, interval_text, margin_text, reason_text, value_text
from iosonde.units import exact_duration, format_duration

NAMES: Final = {Verdict.PASS: "met", Verdict.FAIL: "not met", Verdict.UNDECIDED: "undecided"}
FACTOR_MIN: Final = 2.0
RULE_OF_THUMB: Final = "This limit has low confidence: it is a rule of thumb."


def purpose_texts(checked: CheckedResults, outcome: PurposeOutcome) -> list[str]:
    """The verdict with the requirement that determines it, then what would decide each undecided requirement."""
    said = f"{checked.name}: {NAMES[outcome.verdict]}. {_counts(checked)} {_binding(outcome)}"
    if outcome.binding.origin.confidence is Confidence.LOW:
        said = f"{said} {RULE_OF_THUMB}"
    return [" ".join(filter(None, [said, _doubts(checked)])), *map(_longer, outcome.longer)]


def _doubts(checked: CheckedResults) -> str:
    """How many decided requirements rest on unreliable results, and the findings that say so; empty if none does."""
    doubted = [each for each in checked.checks if each.doubted_by and each.verdict is not Verdict.UNDECIDED]
    if not doubted:
        return ""
    findings = ", ".join(dict.fromkeys(finding for each in doubted for finding in each.doubted_by))
    rest = "1 of these requirements rests" if len(doubted) == 1 else f"{len(doubted)} of these requirements rest"
    return f"{rest} on unreliable results (see {findings})."


def _counts(checked: CheckedResults) -> str:
    number, failed, undecided = len(checked.checks), checked.count(Verdict.FAIL), checked.count(Verdict.UNDECIDED)
    if not failed and not undecided:
        return "The requirement is met." if number == 1 else f"All {number} requirements are met."
    if failed:
        also = f", and {undecided} {_are(undecided)} undecided" if undecided else ""
        return f"{failed} of {number} requirements {_are(failed)} missed{also}."
    return f"{undecided} of {number} requirements {_are(undecided)} undecided, and none is missed."


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


_LEADS: Final = {
    Verdict.PASS: "The smallest margin is that of",
    Verdict.FAIL: "The largest miss is",
    Verdict.UNDECIDED: "The verdict depends on",
}


def _binding(outcome: PurposeOutcome) -> str:
    each = outcome.binding
    return f"{_LEADS[outcome.verdict]} {_place(each)}: {_measured(each)}."


def _place(each: Checked) -> str:
    return f"{each.name} in {each.cell}" if each.cell else each.name


def _measured(each: Checked) -> str:
    if each.value is None:
        return f"{bound_text(each)}, no value"
    interval = interval_text(each)
    within = "" if interval == NO_VALUE else f" (95 % CI {interval})"
    return f"{bound_text(each)}, measured {value_text(each.metric, each.value)}{within}, {_distance(each, each.value)}"


def _distance(each: Checked, value: float) -> str:
    """The margin. From twice the limit on, a factor: a margin of +8889 % is hard to read."""
    factor = value / each.bound
    return f"{factor:,.3g} times the limit" if factor >= FACTOR_MIN else f"margin {margin_text(each)}"


def _longer(longer: Longer) -> str:
    each, known = longer.check, longer.measured
    said = f"Undecided: {_place(each)}: {reason_text(each)}."
    if longer.repeats is None or known is None:
        return f"{said} {_no_number(longer)}"
    more, duration = format_duration(longer.more_ns), exact_duration(known.measure_ns)
    if each.low is None:
        return (
            f"{said} About {longer.repeats} repeats of {duration} instead of {known.repeats} are needed for an "
            f"interval: {more} more."
        )
    flag = "" if longer.precision_percent is None else _flag(longer.precision_percent)
    return (
        f"{said} If the value stays the same, about {longer.repeats} repeats of {duration} instead of {known.repeats} "
        f"decide it: {more} more{flag}."
    )


def _flag(percent: float) -> str:
    return f", or --precision {percent:g}% with a sufficient --budget"


def _no_number(longer: Longer) -> str:
    each = longer.check
    if longer.measured is None or longer.is_invalid:
        return "More repeats do not decide it."
    if each.low is not None:
        return "The value is so close to the limit that no number of repeats decides it."
    return "The data do not show how many repeats would decide it. Look for the cause in the findings first."
