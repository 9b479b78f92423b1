"""A hint names the valid value that is nearest."""

from __future__ import annotations

from kgprobe.errors import did_you_mean


def test_the_nearest_value_is_named() -> None:
    assert did_you_mean("Hermitt", ["elk", "hermit"]) == "did you mean 'hermit'?"
    assert did_you_mean("hermitt", ["elk", "hermit"], "choose one") == "did you mean 'hermit'?"


def test_without_one_there_is_another_hint_or_none() -> None:
    assert did_you_mean("jena", ["elk", "hermit"], "choose elk or hermit") == "choose elk or hermit"
    assert did_you_mean("jena", ["elk", "hermit"]) is None
