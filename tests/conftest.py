"""The order in which the tests run, and which of them run."""

from itertools import groupby
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.long_tests import skip_long

STORIES_END: Final = 0.8
"""The share of all files before which the last of the stories begins."""

# On a busy machine, drawing or trying examples can be slow, which says nothing about the code.
settings.register_profile("whole", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("sample", settings.get_profile("whole"), max_examples=25)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--long``."""
    parser.addoption("--long", action="store_true", help="run the tests that take long as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Spreads ``tests/stories`` between all others: they are long but mostly wait, so others use the CPU meanwhile."""
    files = {path: list(found) for path, found in groupby(items, key=lambda item: item.path)}
    stories = [path for path in files if "stories" in path.parts]
    others = [path for path in files if "stories" not in path.parts]
    # The last files are short ones, so that no worker is left with a long one.
    places = {path: number / len(stories) * STORIES_END for number, path in enumerate(stories)}
    places |= {path: number / len(others) for number, path in enumerate(others)}
    items[:] = [item for path in sorted(files, key=places.__getitem__) for item in files[path]]
    if not config.getoption("long"):
        skip_long(items)


def pytest_configure(config: pytest.Config) -> None:
    """Tries fewer examples of properties, unless long tests run as well."""
    settings.load_profile("whole" if config.getoption("long") else "sample")
