"""The list of tests that take long."""

from dataclasses import dataclass

import pytest

from tests.house.checkout import ROOT
from tests.long_tests import CASES_KEPT, skip_long


@dataclass
class Item:
    """As much of a collected test as is needed to skip it."""

    nodeid: str
    skipped: bool = False

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        """Keeps whether it is to be skipped."""
        self.skipped = marker.name == "skip"


@pytest.mark.parametrize("path", CASES_KEPT)
def test_every_listed_test_is_one(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert [test for test in CASES_KEPT[path] if f"def {test}(" not in text] == []


def test_the_sample_is_evenly_spaced_and_the_rest_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.long_tests.CASES_KEPT", {"a.py": {"test": 3}, "b.py": {"test": 0}})
    nodes = [f"a.py::test[{number}]" for number in range(9)]
    items = [Item(each) for each in [*nodes, "b.py::test", "c.py::test"]]
    skip_long(items)
    assert [each.nodeid for each in items if not each.skipped] == [nodes[1], nodes[4], nodes[7], "c.py::test"]
