"""The benchmark's worlds: the same for a seed, consistent in their sums, complete in their cases, readable as files."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from lab.matching.cases_unrelated import WEIGHTS
from lab.matching.kinds import KINDS
from lab.matching.scene import CASES
from lab.matching.statements import OPENING, sheets_of
from lab.matching.world import World, generate
from lxml import etree
from stdnum import iban, iso11649
from stdnum.ch import esr

_NS = "{urn:iso:std:iso:20022:tech:xsd:camt.053.001.08}"


@cache
def world(kind: str, seed: int = 3) -> World:
    return generate(kind, seed, 300)


def test_a_seed_gives_the_same_world_again() -> None:
    one, again = generate("ticket-club", 11, 80), generate("ticket-club", 11, 80)
    assert (one.orders, one.postings, one.truth) == (again.orders, again.postings, again.truth)
    assert generate("ticket-club", 12, 80).postings != one.postings


@pytest.mark.parametrize("kind", KINDS)
def test_truth_is_consistent_with_orders_and_postings(kind: str) -> None:
    w = world(kind)
    numbers = [o["number"] for o in w.orders]
    assert len(set(numbers)) == len(numbers) == 300
    assert [p["id"] for p in w.postings] == list(w.truth)
    for posting in w.postings:
        true = w.truth[posting["id"]]
        assert true["amount"] == posting["amount"] != 0
        allocated = sum(round(a["amount"] * 100) for a in true["allocations"])
        fee = round(posting.get("charges", 0) * 100) if true["case"] == "chargeback" else 0
        assert allocated == (
            0 if true["auto"] == "unrelated" else round((posting["amount"] + true["withheld"]) * 100) + fee
        )
        assert {a["orderNumber"] for a in true["allocations"]} <= set(numbers)
        assert true["auto"] in ("certain", "suggest", "unrelated")
        assert iban.is_valid(posting["iban"]) and iban.is_valid(posting["account"])


def test_references_carry_their_check_digits() -> None:
    references = [o["referenceNumber"] for o in world("swiss-shop").orders if "referenceNumber" in o]
    qr = [r for r in references if r.isdigit()]
    assert len(qr) > 50
    assert all(len(r) == 27 and esr.is_valid(r) for r in qr)
    assert all(iso11649.is_valid(r) for r in references if not r.isdigit())


@pytest.mark.parametrize("kind", ["small-shop", "swiss-shop"])
def test_balances_chain(kind: str) -> None:
    for account in {p.account for p in world(kind).payments}:
        sheets = [s for s in sheets_of(world(kind).payments) if s.account == account]
        assert sheets[0].opening == OPENING
        assert all(after.opening == before.closing for before, after in pairwise(sheets))
        assert [s.day for s in sheets] == sorted({s.day for s in sheets})


@pytest.mark.long
def test_every_case_appears() -> None:
    seen = {t["case"] for kind in KINDS for seed in (3, 4, 5, 6) for t in world(kind, seed).truth.values()}
    wanted = set(CASES) | set(WEIGHTS) | {"carrier_payout", "carrier_short_list", "carrier_gap"}
    assert wanted - seen == set()
    assert len(seen) >= 90


def test_files_hold_the_postings(tmp_path: Path) -> None:
    w = world("cash-on-delivery")
    w.write(tmp_path)
    assert json.loads((tmp_path / "orders.json").read_text(encoding="utf-8")) == w.orders
    assert json.loads((tmp_path / "truth.json").read_text(encoding="utf-8")) == w.truth
    entries = [
        e for f in sorted((tmp_path / "statements").glob("*.camt.xml")) for e in etree.parse(f).iter(f"{_NS}Ntry")
    ]
    found = {
        e.findtext(f"{_NS}AcctSvcrRef"): (e.findtext(f"{_NS}Amt"), "".join(u.text or "" for u in e.iter(f"{_NS}Ustrd")))
        for e in entries
    }
    assert found == {p["id"]: (f"{abs(p['amount']):.2f}", p["text"]) for p in w.postings}


def test_mt940_adds_up(tmp_path: Path) -> None:
    world("marketplace").write(tmp_path)
    booked = 0
    for file in sorted((tmp_path / "statements").glob("*.sta")):
        lines = file.read_bytes().decode("ascii").split("\r\n")
        assert all(len(line) <= 65 for line in lines)
        balances = [_amount(line[15:]) for line in lines if line.startswith((":60F:C", ":62F:C"))]
        entries = [line[14:] for line in lines if line.startswith(":61:")]
        signs = [-1 if e.startswith(("D", "RC")) else 1 for e in entries]
        moved = sum(s * _amount(e.lstrip("RCD").split("N")[0]) for s, e in zip(signs, entries, strict=True))
        assert balances[1] - balances[0] == moved
        booked += len(entries)
    assert booked == len(world("marketplace").postings)


def _amount(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))
