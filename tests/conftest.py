"""The order in which the tests run, and which of them run."""

import pytest
from hypothesis import HealthCheck, settings

from tests.long_tests import skip_long

# On a busy machine, drawing or trying examples can be slow, which says nothing about the code.
settings.register_profile("whole", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("sample", settings.get_profile("whole"), max_examples=25)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--long``."""
    parser.addoption("--long", action="store_true", help="run the tests that take long as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Runs ``tests/stories`` first: they are long but mostly wait, so other tests use the CPU in the meantime."""
    items.sort(key=lambda item: "stories" not in item.path.parts)
    if not config.getoption("long"):
        skip_long(items)


def pytest_configure(config: pytest.Config) -> None:
    """Tries fewer examples of properties, unless long tests run as well."""
    settings.load_profile("whole" if config.getoption("long") else "sample")
