"""Judges the rounds of a run while it goes on."""

from collections import defaultdict

from iosonde.analysis.rounds import gap_ns, tracked_value
from iosonde.analysis.series.steady import is_steady, recorded_rule
from iosonde.records import CellRecord, SteadyState, Tracked


class SteadyRounds:
    """Judges rounds by their tracking variables. A trial that did not finish, or a long gap, begins a new window.

    Without ``gap_ns_max`` a gap may have any length.
    """

    def __init__(self, rule: SteadyState, gap_ns_max: int | None = None) -> None:
        self._rule = rule
        self._gap_ns_max = gap_ns_max
        self._criterion = recorded_rule(rule)
        # By round: the value of each tracking variable, None where its cell did not finish.
        self._values: dict[int, dict[Tracked, float | None]] = defaultdict(dict)
        self._broken: set[int] = set()
        self._before: CellRecord | None = None

    def take(self, number: int, record: CellRecord) -> None:
        """Notes a trial of round ``number``; a trial that is repeated after a failure replaces the first."""
        gap = gap_ns(self._before, record)
        if gap is not None and self._gap_ns_max is not None and gap > self._gap_ns_max:
            self._broken.add(number)
        self._before = record
        for each in self._rule.tracked:
            if each.cell == record.cell:
                self._values[number][each] = tracked_value(record, each.quantity)

    def is_steady(self, rounds: int) -> bool:
        """Whether the last window of so many rounds fulfils the criterion for each tracking variable."""
        first = rounds - self._rule.window + 1
        if first < 1 or self._broken & set(range(first + 1, rounds + 1)):
            return False
        window = range(first, rounds + 1)
        values = ([self._values[number].get(each) for number in window] for each in self._rule.tracked)
        return all(is_steady(each, self._criterion) for each in values)
