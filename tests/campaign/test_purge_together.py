"""Several purges are heard as one, which is as far as the last of them, and are interrupted together."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import BrokenBarrierError

import pytest

from iosonde.campaign.purge_together import Part, Together


class Heard:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def stage(self, name: str) -> None:
        self.told.append(name)

    def progress(self, done_permille: int | None) -> None:
        self.told.append(done_permille)

    def interrupted(self) -> None:
        self.told.append("interrupted")


def sampling(together: Together, count: int) -> list[Part]:
    """The parts, which begin to sample together."""
    parts = [together.part(number) for number in range(count)]
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda part: part.stage("sampling"), parts))
    return parts


def test_a_stage_begins_with_the_last_of_them() -> None:
    heard = Heard()
    first, second = sampling(Together(heard, 2), 2)
    first.stage("purging")
    assert heard.told == ["sampling"]
    second.stage("purging")
    assert heard.told == ["sampling", "purging"]


def test_none_begins_before_all_have_their_device() -> None:
    together = Together(Heard(), 2)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(together.part(0).stage, "sampling")
        time.sleep(0.05)
        assert (first.done(), together.has_begun) == (False, False)
        together.part(1).stage("sampling")
        first.result()
    assert together.has_begun


def test_if_one_does_not_get_its_device_none_begins() -> None:
    together = Together(Heard(), 2)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(together.part(0).stage, "sampling")
        together.abandon()
        with pytest.raises(BrokenBarrierError):
            first.result()
    assert not together.has_begun
    with pytest.raises(BrokenBarrierError):
        together.part(1).stage("sampling")


def test_an_interruption_before_the_beginning_lets_none_begin() -> None:
    together = Together(Heard(), 2)
    together.interrupt()
    with pytest.raises(BrokenBarrierError):
        together.part(0).stage("sampling")
    assert not together.has_begun


def test_progress_is_that_of_the_slowest_in_the_stage() -> None:
    heard = Heard()
    first, second = sampling(Together(heard, 2), 2)
    first.progress(800)
    second.progress(300)
    first.stage("purging")
    second.progress(400)
    assert heard.told == ["sampling", None, 300, 400]


def test_an_interruption_reaches_each_of_them_once() -> None:
    heard = Heard()
    together = Together(heard, 2)
    parts = sampling(together, 2)
    together.interrupt()
    for each in parts:
        with pytest.raises(KeyboardInterrupt):
            each.progress(100)
        each.progress(200)
        each.interrupted()
    assert heard.told.count("interrupted") == 1
