"""Scores decisions against the truth.

A decision is right when it names exactly the true orders, each amount within 5 % or 0.05 of the truth; `exact` counts
those that agree to the cent. The amount is what is credited to the order: what a payer kept of a payout counts with it.

The file needs nothing but Python and stands beside the data set:

    python score.py held-out decisions                       every world of a folder, decisions in KIND-SEED.json
    python score.py held-out/small-shop-70000 decisions.json one world
    (add --json for machines)

An order is covered if all that was paid for it reaches its amount. Of the covered orders whose payments were all
matched rightly, those that are not credited in full are `covered but not PAID`: their customers would be reminded.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
BUCKETS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.01)


@dataclass(slots=True)
class CaseCount:
    """One row of the table by case."""

    postings: int = 0
    matched: int = 0
    right: int = 0
    suggested: int = 0
    first: int = 0  # suggested, the first suggestion names a true order
    whole: int = 0  # suggested, the first suggestion is right as a whole


@dataclass(slots=True)
class Score:
    """Sums over any number of worlds; amounts in minor units."""

    auto: Counter[str] = field(default_factory=Counter)  # postings by label of the truth
    matched: Counter[str] = field(default_factory=Counter)  # matched automatically, by label
    right: Counter[str] = field(default_factory=Counter)  # of these right, by label
    exact: int = 0
    money_matched: int = 0
    money_right: int = 0
    certain_as_suggestion: int = 0
    first: int = 0  # among `suggest`: a true order is named first
    shown: int = 0  # among `suggest`: a true order was named first when the posting was decided for the first time
    coin: float = 0.0  # among `suggest`: what a fair coin among orders that look alike would name first
    whole: int = 0  # among `suggest`: orders and amounts of the first proposal are right
    unrelated_suggested: int = 0
    unknown_orders: int = 0
    covered: int = 0  # orders that are paid in full, and whose payments are matched
    unpaid: int = 0  # among them: those that the decisions do not credit in full
    short: list[str] = field(default_factory=list)  # these orders
    cases: dict[str, CaseCount] = field(default_factory=lambda: defaultdict(CaseCount))
    wrong: list[tuple[str, str]] = field(default_factory=list)  # (posting, case) matched but not right
    missed: list[tuple[str, str]] = field(default_factory=list)  # (posting, case) certain but not matched
    reliability: dict[float, list[int]] = field(default_factory=dict)  # lower bound -> [given, right]

    def add(self, other: Score) -> None:
        """Takes in the sums of another world."""
        for name in ("auto", "matched", "right"):
            getattr(self, name).update(getattr(other, name))
        for name in (
            "exact",
            "money_matched",
            "money_right",
            "certain_as_suggestion",
            "first",
            "shown",
            "coin",
            "whole",
            "unrelated_suggested",
            "unknown_orders",
            "covered",
            "unpaid",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for case, count in other.cases.items():
            mine = self.cases[case]
            for name in ("postings", "matched", "right", "suggested", "first", "whole"):
                setattr(mine, name, getattr(mine, name) + getattr(count, name))
        self.wrong += other.wrong
        self.missed += other.missed
        self.short += other.short
        for bound, (given, good) in other.reliability.items():
            row = self.reliability.setdefault(bound, [0, 0])
            row[0] += given
            row[1] += good

    def summary(self) -> Json:
        """The figures as a flat object; percentages with two decimals, 100 where there was nothing to get wrong."""
        matched, right = self.matched.total(), self.right.total()
        return {
            "postings": self.auto.total(),
            "certain": self.auto["certain"],
            "suggest": self.auto["suggest"],
            "unrelated": self.auto["unrelated"],
            "matched": matched,
            "precision_count": _pct(right, matched),
            "precision_money": _pct(self.money_right, self.money_matched),
            "recall_certain": _pct(self.right["certain"], self.auto["certain"]),
            "certain_right_as_suggestion": _pct(self.certain_as_suggestion, self.auto["certain"]),
            "exact_amounts": _pct(self.exact, right),
            "wrong": matched - right,
            "covered_orders": self.covered,
            "covered_unpaid": self.unpaid,
            "covered_unpaid_share": _pct_up(self.unpaid, self.covered),
            "unrelated_matched": self.matched["unrelated"],
            "unrelated_suggested": self.unrelated_suggested,
            "suggest_first_right": _pct(self.first, self.auto["suggest"]),
            "suggest_shown_right": _pct(self.shown, self.auto["suggest"]),
            "suggest_coin": _pct(round(self.coin), self.auto["suggest"]),
            "suggest_whole_right": _pct(self.whole, self.auto["suggest"]),
            "suggest_matched": self.matched["suggest"],
            "unknown_orders": self.unknown_orders,
        }


def _pct(part: int, whole: int) -> float:
    """Percent with two decimals, rounded down: 100 means all."""
    return 100 * 100 * part // whole / 100 if whole else 100.0


def _pct_up(part: int, whole: int) -> float:
    """Percent with two decimals, rounded up: 0 means none."""
    return -(-100 * 100 * part // whole) / 100 if whole else 0.0


def _minor(amount: object) -> int:
    return round(float(str(amount)) * 100)


def sums(allocations: list[Json]) -> dict[str, int]:
    """Order number -> minor units."""
    found: dict[str, int] = defaultdict(int)
    for a in allocations:
        found[a["orderNumber"]] += _minor(a["amount"])
    return dict(found)


def agreement(given: dict[str, int], true: dict[str, int]) -> tuple[bool, bool]:
    """(right, exact): the same orders with about the same amounts; and to the cent."""
    if not true or given.keys() != true.keys():
        return False, False
    off = {k: abs(given[k] - true[k]) for k in true}
    return all(off[k] <= max(5, abs(true[k]) * 0.05) for k in true), not any(off.values())


def _proposed(decision: Json) -> list[Json]:
    """The allocations of a decision, or of its first suggestion where only `suggestions` carries them."""
    suggestions = decision.get("suggestions") or []
    found: list[Json] = decision.get("allocations") or (suggestions[0]["allocations"] if suggestions else [])
    return found


def score(orders: list[Json], truth: dict[str, Json], decisions: dict[str, Json]) -> Score:
    """The score of one world. A posting without a decision is unmatched; an unknown order makes its decision wrong."""
    result, known = Score(), {o["number"] for o in orders}
    for posting, true in truth.items():
        decision = decisions.get(posting, {"status": "unmatched"})
        given = sums(_proposed(decision))
        if not given.keys() <= known:
            result.unknown_orders += 1
        _count(result, posting, true, decision, given)
    _cover(result, orders, truth, decisions)
    return result


def _cover(result: Score, orders: list[Json], truth: dict[str, Json], decisions: dict[str, Json]) -> None:
    """Counts the covered orders with all payments matched, and which of them are not credited in full.

    Orders in a currency without an account are left out: what pays them is a matter of rates.
    """
    due = {o["number"]: _minor(o["amount"]) for o in orders if "amount" in o and not o.get("exchangeRate")}
    paid: Counter[str] = Counter()
    credited: Counter[str] = Counter()
    amiss: set[str] = set()
    for posting, true in truth.items():
        wanted = sums(true["allocations"])
        decision = decisions.get(posting, {"status": "unmatched"})
        given = sums(_proposed(decision)) if decision["status"] == "matched" else {}
        paid.update(wanted)
        credited.update(given)
        if given.keys() != wanted.keys():
            amiss |= given.keys() | wanted.keys()
    for number in sorted(due.keys() - amiss):
        if due[number] > 0 and paid[number] >= due[number]:
            result.covered += 1
            if credited[number] < due[number]:
                result.unpaid += 1
                result.short.append(number)


def _count(result: Score, posting: str, true: Json, decision: Json, given: dict[str, int]) -> None:
    auto, case, status = true["auto"], true["case"], decision["status"]
    wanted = sums(true["allocations"])
    good, exact = agreement(given, wanted)
    first = bool(given) and next(iter(given)) in wanted
    row = result.cases[case]
    row.postings += 1
    result.auto[auto] += 1
    if status == "matched":
        row.matched += 1
        row.right += good
        result.matched[auto] += 1
        result.right[auto] += good
        result.exact += exact
        result.money_matched += abs(_minor(true["amount"]))
        result.money_right += abs(_minor(true["amount"])) * good
        if not good:
            result.wrong.append((posting, case))
    elif status == "suggested":
        row.suggested += 1
        row.first += first
        row.whole += good
        result.certain_as_suggestion += auto == "certain" and good
        result.unrelated_suggested += auto == "unrelated"
    if auto == "certain" and not (status == "matched" and good):
        result.missed.append((posting, case))
    if auto == "suggest":
        result.first += first
        result.shown += decision.get("firstShown", next(iter(given), "")) in wanted
        result.coin += 1 / true.get("alike", 1)
        result.whole += good
    if given and decision.get("probability") is not None:
        _rely(result, float(decision["probability"]), good)


def _rely(result: Score, probability: float, good: bool) -> None:
    bound = max(b for b in BUCKETS if b <= max(0.0, probability))
    row = result.reliability.setdefault(bound, [0, 0])
    row[0] += 1
    row[1] += good


def score_folder(worlds: Path, decisions: Path) -> dict[str, Score]:
    """The score of one world's folder, or of every world below a folder, by name."""
    if decisions.is_file():
        found = {worlds.name: (worlds, decisions)}
    else:
        names = sorted(each.name for each in worlds.iterdir() if (each / "truth.json").exists())
        found = {name: (worlds / name, decisions / f"{name}.json") for name in names}
    return {
        name: score(*map(_load, (of / "orders.json", of / "truth.json", made))) for name, (of, made) in found.items()
    }


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main(arguments: Sequence[str]) -> int:
    """Prints the scores; 2 if the arguments are not two paths."""
    paths = [Path(each) for each in arguments if each != "--json"]
    if len(paths) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found, total = score_folder(*paths), Score()
    for each in found.values():
        total.add(each)
    said = {name: each.summary() for name, each in {**found, "all": total}.items()}
    if "--json" in arguments:
        print(json.dumps(said, ensure_ascii=False, indent=1))
        return 0
    print(f"{'world':32}{'postings':>9}{'right %':>9}{'wrong':>7}{'found %':>9}{'first %':>9}")
    for name, figures in said.items():
        print(
            f"{name:32}{figures['postings']:9}{figures['precision_count']:9.2f}{figures['wrong']:7}"
            f"{figures['recall_certain']:9.2f}{figures['suggest_first_right']:9.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
