"""Settings for all tests: the same Hypothesis examples in each run, no deadlines for them, and `--thorough`.

`pytest --hypothesis-profile=explore` tries other examples each time: 1,000 unless a test sets a number.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", deadline=None, print_blob=True, max_examples=1000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

# Java's second compiler pays off after some seconds. Most tests of Java reasoners are over by then.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="run tests that take minutes, too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: asks on more or larger data what another test asks on less")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--thorough"):
        skip = pytest.mark.skip(reason="a smaller one of the same kind runs; all of them: pytest --thorough")
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(skip)
