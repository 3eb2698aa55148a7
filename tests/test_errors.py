"""Errors keep their message and hint when they are passed between processes."""

import pickle

from iosonde.errors import TargetError


def test_an_error_passes_from_process_to_process_whole() -> None:
    told = pickle.loads(pickle.dumps(TargetError("no such file", "name another", final=True)))  # noqa: S301
    assert isinstance(told, TargetError)
    assert (str(told), told.message, told.hint, told.final) == ("no such file", "no such file", "name another", True)
