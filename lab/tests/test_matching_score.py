"""The benchmark's score, on decisions whose worth is known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from lab.matching import baseline
from lab.matching.command import main
from lab.matching.score import agreement, score
from lab.matching.world import generate

Json = dict[str, Any]

ORDERS: list[Json] = [{"number": "A1"}, {"number": "A2"}]
TRUTH: dict[str, Json] = {
    "P1": {
        "case": "exact_ref",
        "auto": "certain",
        "amount": 10.0,
        "allocations": [{"orderNumber": "A1", "amount": 10.0}],
    },
    "P2": {"case": "twin", "auto": "suggest", "amount": 20.0, "allocations": [{"orderNumber": "A2", "amount": 20.0}]},
    "P3": {"case": "rent", "auto": "unrelated", "amount": -5.0, "allocations": []},
}


def decision(status: str, number: str, amount: float, **more: float) -> Json:
    return {"status": status, "allocations": [{"orderNumber": number, "amount": amount}], **more}


def test_right_decisions() -> None:
    s = score(
        ORDERS, TRUTH, {"P1": decision("matched", "A1", 10, probability=0.999), "P2": decision("suggested", "A2", 20.5)}
    )
    figures = s.summary()
    assert (figures["precision_count"], figures["recall_certain"], figures["suggest_whole_right"]) == (
        100.0,
        100.0,
        100.0,
    )
    assert (figures["wrong"], figures["unrelated_matched"], figures["exact_amounts"]) == (0, 0, 100.0)
    assert s.reliability == {0.999: [1, 1]}


def test_wrong_decisions() -> None:
    given = {
        "P1": decision("matched", "A2", 10),
        "P2": decision("suggested", "A1", 20),
        "P3": decision("matched", "A1", -5),
    }
    s = score(ORDERS, TRUTH, given)
    figures = s.summary()
    assert (figures["wrong"], figures["unrelated_matched"], figures["precision_money"]) == (2, 1, 0.0)
    assert (figures["recall_certain"], figures["suggest_first_right"]) == (0.0, 0.0)
    assert s.wrong == [("P1", "exact_ref"), ("P3", "rent")]


def test_percentages_are_rounded_down() -> None:
    truth = {f"P{i}": {**TRUTH["P1"], "amount": 0.01} for i in range(100_000)}
    given = {posting: decision("matched", "A1", 10) for posting in truth} | {"P7": decision("matched", "A2", 10)}
    figures = score(ORDERS, truth, given).summary()
    assert (figures["precision_count"], figures["precision_money"], figures["wrong"]) == (99.99, 99.99, 1)


def test_an_unknown_order_is_counted_and_wrong() -> None:
    s = score(ORDERS, TRUTH, {"P1": decision("matched", "A9", 10)})
    assert (s.unknown_orders, s.summary()["wrong"]) == (1, 1)


@pytest.mark.parametrize(
    ("given", "right", "exact"),
    [
        ({"A1": 1000}, True, True),
        ({"A1": 1050}, True, False),
        ({"A1": 1051}, False, False),
        ({}, False, False),
        ({"A1": 1000, "A2": 1}, False, False),
    ],
)
def test_agreement(given: dict[str, int], right: bool, exact: bool) -> None:
    assert agreement(given, {"A1": 1000}) == (right, exact)


def test_command_scores_what_it_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--kind", "small-shop", "--seed", "5", "--orders", "60", "--out", str(tmp_path)]) == 0
    w = generate("small-shop", 5, 60)
    (tmp_path / "decisions.json").write_text(json.dumps(baseline.decide(w.orders, w.postings)), encoding="utf-8")
    capsys.readouterr()
    assert main(["score", *(str(tmp_path / f"{n}.json") for n in ("orders", "truth", "decisions")), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["postings"] == len(w.postings)
    assert figures["precision_count"] == 100.0


def test_any_command_is_measured_beside_the_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "matcher.py"
    script.write_text(
        "import json, pathlib, sys\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "assert not (folder / 'truth.json').exists() and list((folder / 'statements').iterdir())\n"
        "postings = json.loads((folder / 'postings.json').read_text(encoding='utf-8'))\n"
        "none = {p['id']: {'status': 'unmatched', 'allocations': []} for p in postings[1:]}\n"
        "(folder / 'decisions.json').write_text(json.dumps(none))\n",
        encoding="utf-8",
    )
    page = tmp_path / "page.md"
    arguments = [
        "run",
        "--seeds",
        "1",
        "--kinds",
        "ticket-club",
        "--orders",
        "40",
        "--command",
        f"{sys.executable} {script}",
    ]
    for _ in range(2):
        assert main([*arguments, "--show-wrong", "1", "--write-docs", str(page)]) == 0
    out = capsys.readouterr().out
    assert "| command | ticket-club |" in out
    assert "missed: ticket-club seed 1" in out
    text = page.read_text(encoding="utf-8")
    assert text.count("### By case") == 1
    assert "Seeds 1 of each kind" in text


def test_covered_orders_that_are_not_credited_in_full_are_counted() -> None:
    orders = [{"number": f"A{i}", "amount": 10.0} for i in range(4)]
    truth = {
        "P1": {
            "case": "marketplace_payout",
            "auto": "certain",
            "amount": 17.6,
            "allocations": [{"orderNumber": "A0", "amount": 10.0}, {"orderNumber": "A1", "amount": 10.0}],
        },
        "P2": {**TRUTH["P1"], "allocations": [{"orderNumber": "A2", "amount": 4.0}]},
        "P3": {**TRUTH["P1"], "allocations": [{"orderNumber": "A3", "amount": 10.0}]},
    }
    decisions = {
        "P1": {
            "status": "matched",
            "allocations": [{"orderNumber": "A0", "amount": 10.0}, {"orderNumber": "A1", "amount": 8.8}],
        },
        "P2": decision("matched", "A2", 4.0),
        "P3": decision("suggested", "A3", 10.0),
    }
    found = score(orders, truth, decisions)
    assert (found.covered, found.unpaid, found.short) == (2, 1, ["A1"])
    assert found.summary()["covered_unpaid_share"] == 50.0
