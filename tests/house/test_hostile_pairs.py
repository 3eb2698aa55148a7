"""How many hostile cases there are: pairs of a mechanism and an entry point, whatever values each is tried with."""

import sys

import pytest

PAIRS_MIN = 150
# Parameters that are values of one mechanism, and none of their own.
VALUES = frozenset({"text", "content", "columns", "most", "encoding", "value", "nonsense", "codes"})


class Pairs:
    """Collects the pairs, and runs nothing."""

    def __init__(self) -> None:
        self.found: set[tuple[str, str]] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Takes up each case."""
        for item in items:
            parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
            kept = {name: _entry(value) for name, value in sorted(parameters.items()) if name not in VALUES}
            self.found.add((item.nodeid.partition("[")[0], repr(kept)))


def _entry(value: object) -> str:
    """A flag with a value is that flag; a function is its name."""
    if isinstance(value, tuple) and str(value[0]).startswith("--"):
        return str(value[0])
    return getattr(value, "__name__", repr(value))


def test_there_are_at_least_150_pairs_of_mechanism_and_entry_point(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = Pairs()
    words = ["--collect-only", "-qq", "-p", "no:xdist", "-p", "no:cacheprovider", "tests/hostile"]
    assert pytest.main(words, plugins=[pairs]) == 0
    capsys.readouterr()
    with capsys.disabled():
        sys.stdout.write(f"\n{len(pairs.found)} pairs of mechanism and entry point in tests/hostile\n")
    assert len(pairs.found) >= PAIRS_MIN
