"""The order in which tests are handed out."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Stories come first: they mostly wait, and what computes fits beside them, so that none is left for the end."""
    items.sort(key=lambda item: "stories" not in item.path.parts)
