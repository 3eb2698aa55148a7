"""The order in which the tests run."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs ``tests/stories`` first: they are long but mostly wait, so other tests use the CPU in the meantime."""
    items.sort(key=lambda item: "stories" not in item.path.parts)
