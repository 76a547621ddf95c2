"""The table of the clerk's rules is whole: every rule is asked, every sentence that one gives is in its row."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from paymatch.domain.matching.catalogue import CATALOGUE
from paymatch.domain.matching.clerk import named, several, table, unnamed
from paymatch.domain.matching.clerk.case import ClerkRule, clerk_rule
from paymatch.domain.matching.clerk.table import TABLE, Situation
from paymatch.domain.matching.several.hypothesis import WITHHOLDS
from paymatch.domain.orders.fees import FEE_DOUBTS
from paymatch.domain.witnesses import Witness, may_lower_claim, may_state_money
from paymatch.domain.words.english import SENTENCES

ROWS: list[ClerkRule] = [row for rows in TABLE.values() for row in rows]


def _functions(module: object) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(Path(str(module.__file__)).read_text())  # type: ignore[attr-defined]
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _said_by(name: str, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """Codes of the sentences that the function and its helpers make."""
    found: set[str] = set()
    for node in ast.walk(functions[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "Message":
                code = node.args[0]
                assert isinstance(code, ast.Constant)
                found.add(str(code.value))
            elif node.func.id in functions:
                found |= _said_by(node.func.id, functions)
    return found


@pytest.mark.parametrize(
    "module", [table, named, unnamed, several], ids=lambda module: module.__name__.rpartition(".")[2]
)
def test_every_rule_is_asked_and_gives_what_its_row_says(module: object) -> None:
    functions = _functions(module)
    rows = {row.name: row for row in ROWS if row.check.__module__ == module.__name__}  # type: ignore[attr-defined]
    assert set(rows) == {name for name, node in functions.items() if node.decorator_list}
    assert list(rows.values()) == [row for row in rows.values() if vars(module)[row.name] is row]
    for name, row in rows.items():
        assert set(row.messages) - FEE_DOUBTS == _said_by(name, functions), name
        assert row.words, name
        assert not row.words.endswith("."), name


def test_every_situation_has_its_rules() -> None:
    assert set(TABLE) == set(Situation)
    assert [code for row in ROWS for code in row.messages if code not in SENTENCES] == []
    assert all(rows[0] is table.lapsed for rows in TABLE.values())


@pytest.mark.parametrize("needs", [Witness.PAYER, Witness.CUSTOMER, Witness.MERCHANT])
@pytest.mark.parametrize("message", sorted(FEE_DOUBTS))
def test_a_table_in_which_a_chosen_word_withholds_money_is_not_built(needs: Witness, message: str) -> None:
    with pytest.raises(ValueError, match=f"lets the word of a {needs} withhold money"):
        clerk_rule("words", needs, message)(named.kept_in_doubt.check)
    assert clerk_rule("words", Witness.PERSON, message)(named.kept_in_doubt.check).needs is Witness.PERSON


def test_every_acceptance_of_a_fee_needs_a_witness_of_money() -> None:
    assert {kind.code for kind in WITHHOLDS} == {
        "amount-kept", "amount-kept-in-doubt", "amount-charges", "amount-fee", "amount-fee-tolerance", "amount-short",
        "amount-cents",
        "amount-cash-discount", "amount-discount-offered",
    }  # fmt: skip
    by_merchant = {kind.code for kind, needs in WITHHOLDS.items() if not may_state_money(needs)}
    assert by_merchant == {"amount-discount-offered"}  # the shop's own invoice lowers its own claim (D-96)
    assert all(may_lower_claim(needs) for needs in WITHHOLDS.values())
    assert set(WITHHOLDS) <= set(CATALOGUE)
