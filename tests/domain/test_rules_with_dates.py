"""Rules with dates: their places exist, and they are named in time."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tools.dated_rules import warnings

from paymatch.domain.rules_with_dates import RULES, DatedRule, rules_to_handle, rules_to_look_at

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_is_kept_somewhere_or_says_what_to_do(rule: DatedRule) -> None:
    if rule.is_kept:
        assert (ROOT / rule.kept_in).exists()
        assert (ROOT / rule.test).is_file()
    else:
        assert rule.meanwhile
        assert not rule.test


def test_names_are_unique() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_rule_that_nothing_keeps_is_named_90_days_ahead() -> None:
    kept = DatedRule("a", "A", date(2027, 4, 1), "S", date(2027, 5, 1), "x.py", "test_x.py")
    loose = replace(kept, kept_in="", test="", meanwhile="wait")
    assert rules_to_handle(date(2026, 12, 31), [kept, loose]) == []
    assert rules_to_handle(date(2027, 1, 1), [kept, loose]) == [loose]
    assert rules_to_handle(date(2028, 1, 1), [kept]) == []


def test_a_source_is_looked_at_again_in_time() -> None:
    kept = DatedRule("a", "A", date(2027, 4, 1), "S", date(2027, 5, 1), "x.py", "test_x.py")
    assert rules_to_look_at(date(2027, 5, 1), [kept]) == []
    assert rules_to_look_at(date(2027, 5, 2), [kept]) == [kept]


def test_make_check_warns_90_days_ahead() -> None:
    rule = DatedRule("new", "A new law", date(2027, 4, 1), "S", date(2028, 1, 1), meanwhile="wait")
    assert warnings(date(2026, 12, 31), [rule]) == []
    assert warnings(date(2027, 1, 1), [rule]) == ["rule new: nothing keeps it, since 2027-04-01: A new law"]
    (lint,) = re.findall(r"^lint:.*?(?=^\S)", (ROOT / "Makefile").read_text(), re.MULTILINE | re.DOTALL)
    assert "-m tools.dated_rules" in lint  # a part of `make check`


def test_a_build_is_warned() -> None:
    assert "rule base-rate: look at Bundesbank, BGB section 247 again, due 2027-01-15" in warnings(date(2027, 1, 16))
