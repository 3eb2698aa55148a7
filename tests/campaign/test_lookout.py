"""The search for other processes on the same devices runs once per measurement, shortly before its end."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from iosonde.campaign.competitor_watch import AHEAD_NS, CompetitorWatch
from iosonde.records import Neighbour

OTHER = Neighbour(process=7, device="sda")


class Street:
    """A fake search for other processes: its result, and the number of calls."""

    def __init__(self) -> None:
        self.seen: tuple[Neighbour, ...] = ()
        self.looks = 0

    def look(self) -> tuple[Neighbour, ...]:
        self.looks += 1
        return self.seen


@pytest.fixture
def street() -> Street:
    return Street()


@pytest.fixture
def lookout(street: Street) -> Iterator[CompetitorWatch]:
    with closing(CompetitorWatch(street.look)) as found:
        yield found


def test_what_is_seen_at_the_end_of_one_is_seen_at_the_start_of_the_next(
    street: Street, lookout: CompetitorWatch
) -> None:
    lookout.begin()
    street.seen = (OTHER,)
    assert lookout.found() == (OTHER,)
    street.seen = ()
    lookout.begin()
    assert lookout.found() == (OTHER,)
    lookout.begin()
    assert lookout.found() == ()
    assert street.looks == 4


def test_the_look_begins_shortly_before_the_end_and_once(street: Street, lookout: CompetitorWatch) -> None:
    lookout.begin()
    lookout.ends_in(AHEAD_NS + 1)
    assert street.looks == 1
    for left_ns in (AHEAD_NS, AHEAD_NS / 2, 0):
        lookout.ends_in(left_ns)
    assert lookout.found() == ()
    assert street.looks == 2


def test_a_measurement_whose_last_interval_is_long_is_looked_at_when_it_is_over(
    street: Street, lookout: CompetitorWatch
) -> None:
    lookout.begin()
    lookout.ends_in(10 * AHEAD_NS)
    street.seen = (OTHER,)
    assert lookout.found() == (OTHER,)


def test_a_look_that_fails_is_told_where_its_answer_is_asked_for() -> None:
    def fails() -> tuple[Neighbour, ...]:
        raise OSError("no table of locks")

    with closing(CompetitorWatch(fails)) as lookout:
        lookout.ends_in(AHEAD_NS)
        with pytest.raises(OSError, match="no table of locks"):
            lookout.found()
