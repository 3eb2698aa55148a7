"""The error of several purges is the one that tells most."""

from threading import BrokenBarrierError

from iosonde.campaign.array_purge import first_error
from iosonde.errors import TargetError

REFUSED = TargetError("a process has it open", "stop it")


def test_what_refused_one_of_them_is_told_before_that_the_others_did_not_begin() -> None:
    assert first_error([BrokenBarrierError(), REFUSED], is_interrupted=False) is REFUSED
    assert first_error([KeyboardInterrupt(), REFUSED], is_interrupted=True) is REFUSED


def test_an_interruption_before_they_begin_is_an_interruption() -> None:
    found = first_error([BrokenBarrierError(), BrokenBarrierError()], is_interrupted=True)
    assert isinstance(found, KeyboardInterrupt)


def test_any_other_error_stays_what_it_is() -> None:
    wrong = ValueError("a mistake")
    assert first_error([wrong], is_interrupted=False) is wrong
