"""The examples of a run depend on the commit alone, not on what its processes have loaded or how busy they are."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture.providers import HypothesisProvider

from tests.drawn_constants import package_constants

UNUSUAL = 918_273_645


def test_a_module_that_is_loaded_later_changes_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(HypothesisProvider(None)._local_constants)
    (tmp_path / "loaded_later.py").write_text(f"NUMBER = {UNUSUAL}\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert importlib.import_module("loaded_later").NUMBER == UNUSUAL
        assert list(HypothesisProvider(None)._local_constants) == before
    finally:
        del sys.modules["loaded_later"]


def test_numbers_and_texts_of_the_package_are_drawn() -> None:
    found = package_constants()
    assert 4096 in found.integers
    assert "application/json" in found.strings


def test_no_example_fails_because_drawing_it_took_long() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


def test_a_test_that_names_its_health_checks_leaves_that_one_out_too() -> None:
    """A test's own list replaces that of the profile."""
    lists = [
        (str(path), found)
        for path in Path(__file__).parents[1].rglob("test_*.py")
        for found in re.findall(r"suppress_health_check=(\[[^\]]*\]|list\(HealthCheck\))", path.read_text("utf-8"))
    ]
    assert len(lists) >= 6
    assert [each for each in lists if "too_slow" not in each[1] and each[1] != "list(HealthCheck)"] == []
