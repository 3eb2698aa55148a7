"""Several purges are heard as one, which is as far as the last of them, and are interrupted together."""

import pytest

from iosonde.campaign.purge_together import Together


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


def test_a_stage_begins_with_the_last_of_them() -> None:
    heard = Heard()
    together = Together(heard, 2)
    first, second = together.part(0), together.part(1)
    first.stage("sampling")
    first.stage("purging")
    second.stage("sampling")
    second.stage("purging")
    assert heard.told == ["sampling", "purging"]


def test_progress_is_that_of_the_slowest_in_the_stage() -> None:
    heard = Heard()
    together = Together(heard, 2)
    first, second = together.part(0), together.part(1)
    for each in (first, second):
        each.stage("sampling")
    first.progress(800)
    second.progress(300)
    first.stage("purging")
    second.progress(400)
    assert heard.told == ["sampling", None, 300, 400]


def test_an_interruption_reaches_each_of_them_once() -> None:
    heard = Heard()
    together = Together(heard, 2)
    parts = together.part(0), together.part(1)
    for each in parts:
        each.stage("sampling")
    together.interrupt()
    for each in parts:
        with pytest.raises(KeyboardInterrupt):
            each.progress(100)
        each.progress(200)
        each.interrupted()
    assert heard.told.count("interrupted") == 1
