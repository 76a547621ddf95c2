"""The tool that changes the core: what a mutant is, which tests try it, and which ones are known to change nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tools import mutants
from tools.mutants import DOMAIN, equivalents, mutants_of, rooms

MONEY = DOMAIN / "money.py"
TRIAL = """
import json
from pathlib import Path
from tools.mutants import mutants_of
from tools.mutant_trials import ROOT, Trials

path = Path("src/paymatch/domain/money.py")
trials = Trials(["tests/domain/test_money.py"])
found = {}
for mutant in mutants_of(path):
    made = mutant.made()
    if made.function is not None and made.key.startswith("__add__"):
        found[made.key] = trials.notice(path, made.text, made.function)
same = (ROOT / path).read_text("utf-8")
print(json.dumps([found, trials.notice(path, same, None), trials.notice(path, same, ("no.py", 1))]))
"""


def test_a_mutant_is_the_module_with_one_change() -> None:
    found = mutants_of(MONEY)
    assert len(found) == len(set(found)) > 10
    source = ast.unparse(ast.parse(MONEY.read_text("utf-8"))).splitlines()
    for mutant in found:
        made = mutant.made()
        assert sum(one != other for one, other in zip(source, made.text.splitlines(), strict=True)) == 1, made.key
        before, _, after = made.key.partition(": ")[2].partition("  ->  ")
        assert before != after
    assert ast.unparse(ast.parse(MONEY.read_text("utf-8"))).splitlines() == source


def test_every_room_of_the_domain_has_tests_for_its_mutants() -> None:
    assert {"books", "matching", "orders", "reminders", "domain"} <= rooms().keys()
    assert [room for room, modules in rooms().items() if not mutants.tests_of(room, modules)] == []


def test_what_is_listed_as_changing_nothing_is_one_mutant_of_today() -> None:
    """With its reason; an entry whose statement was changed is looked at again."""
    for module, reasons in equivalents().items():
        keys = Counter(mutant.made().key for mutant in mutants_of(DOMAIN / module))
        assert {key: keys[key] for key in reasons} == dict.fromkeys(reasons, 1), module
        assert all(len(reason) > 20 for reason in reasons.values()), module


def test_trial_runs_the_tests_that_enter_the_function_on_the_changed_module() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", TRIAL], cwd=root, capture_output=True, text=True, check=True)
    found, same, entered_by_none = json.loads(done.stdout)
    change = "return Money(self.minor + other.minor  ->  return Money(self.minor - other.minor"
    assert found == {f"__add__: {change}, self.currency)".replace("  ->", ", self.currency)  ->"): True}
    assert (same, entered_by_none) == (False, False)
