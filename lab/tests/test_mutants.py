"""The tool that changes the core: what a mutant is, which tests try it, and which ones are known to change nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import FunctionType

import pytest
from lab import mutants
from lab.mutant_trials import recoded
from lab.mutants import DOMAIN, equivalents, mutants_of, rooms

MONEY = DOMAIN / "money.py"
TRIAL = """
import ast
import json
from pathlib import Path
from lab.mutants import mutants_of
from lab.mutant_trials import ROOT, Changed, Trials

path = Path("src/paymatch/domain/money.py")
trials = Trials(["tests/domain/test_money.py"])
same = ast.unparse(ast.parse((ROOT / path).read_text("utf-8")))
changes = {"same": Changed(path, same, None), "nobody's": Changed(path, same, ("no.py", 1))}
for made in (mutant.made() for mutant in mutants_of(path)):
    if made.key.startswith("__add__") or "10 ** 16" in made.key or "15 - 2" in made.key:
        changes[made.key] = Changed(path, made.text, made.function)
    if made.key.startswith("__add__"):
        added = changes[made.key]
found = dict.fromkeys(changes)
for place, noticed in trials.notices(list(changes.values()), workers=2):
    found[list(changes)[place]] = noticed
with trials.host() as host:
    quickly = {}
    for key, change in changes.items():
        said = host.tries(change, trials.entering(change.function), 60)
        quickly[key] = [said.killer is not None, said.untried == trials.entering(change.function)]
    before = trials.entering(added.function)
    killer = host.tries(added, before, 60).killer
    noticed = trials.notice(host, added)
first = trials.entering(added.function)[0]
print(json.dumps([found, quickly, noticed, killer == first, sorted(before) == sorted(trials.entering(added.function))]))
"""

CACHED = """
from pathlib import Path
from lab.mutants import mutants_of
from lab.mutant_trials import Trials

path = Path("src/paymatch/domain/calendar.py")
made = [mutant.made() for mutant in mutants_of(path)]
(read,) = {each.function for each in made if each.key.startswith("parse_date")}
print(len(Trials(["tests/domain/test_calendar.py", "tests/formats/contract/test_orders.py"]).entering(read)))
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
        keys = Counter(mutant.key() for mutant in mutants_of(DOMAIN / module))
        assert {key: keys[key] for key in reasons} == dict.fromkeys(reasons, 1), module
        assert all(len(reason) > 20 for reason in reasons.values()), module


@pytest.mark.long
def test_trial_runs_the_tests_that_enter_the_function_on_the_changed_module() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", TRIAL], cwd=root, capture_output=True, text=True, check=True)
    found, quickly, noticed, killer_first, all_kept = json.loads(done.stdout)
    add = "return Money(self.minor {} other.minor, self.currency)"
    added = f"__add__: {add.format('+')}  ->  {add.format('-')}"
    longer = ": MAX_MINOR: Final = 10 ** 15 - 1  ->  MAX_MINOR: Final = 10 ** 16 - 1"
    # Noticed by the one test that is named for this value, under another name then.
    lower = ": MAX_MINOR: Final = 10 ** 15 - 1  ->  MAX_MINOR: Final = 10 ** 15 - 2"
    assert found == {"same": False, "nobody's": False, added: True, longer: True, lower: True}
    # Killed at once, or left to a process that imports the project anew.
    slow = [False, True]
    assert quickly == {"same": slow, "nobody's": slow, added: [True, False], longer: slow, lower: slow}
    assert (noticed, killer_first, all_kept) == (True, True, True)


@pytest.mark.long
def test_what_a_cache_holds_is_entered_by_each_test_that_asks_for_it() -> None:
    """The text of a day is read once in a process."""
    done = subprocess.run([sys.executable, "-c", CACHED], cwd=mutants.ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) > 10


def test_quick_trial_gives_functions_their_new_code() -> None:
    """A change outside functions, one of a function that nobody has, and one of two namesakes has another way."""
    path = Path("lab/mutants.py")
    file, today = str(mutants.ROOT / path), ast.unparse(ast.parse((mutants.ROOT / path).read_text("utf-8")))
    alike: FunctionType = vars(mutants)["_alike"]
    one, namesake = (FunctionType(vars(mutants)[name].__code__, {}) for name in ("_line", "_name"))
    functions = {(file, "_alike"): [alike], (file, "_copied"): [one, namesake]}
    changed = recoded(path, today.replace("if a != b", "if a == b"), functions)
    assert list(changed) == [alike]
    assert (FunctionType(changed[alike], alike.__globals__)("abc", "xbc"), alike("abc", "abx")) == (1, 2)
    for before, after in (
        ("AROUND: Final = 40", "AROUND: Final = 41"),
        ("parts[0]", "parts[1]"),
        ("value, list", "value, int"),
    ):
        assert before in today
        assert recoded(path, today.replace(before, after), functions) == {}
    assert recoded(path, today, functions) == {}
