"""What a key may do: every set of scopes meets every need (D-37)."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from paymatch.domain.shops.api_keys import KeyScope, allows, only_reads, parse_scopes, scopes_text

READ, ORDERS, REFUNDS, STATEMENTS, COLLECTION = KeyScope
SETS = [frozenset(each) for size in range(1, 6) for each in combinations(KeyScope, size)]


@pytest.mark.parametrize(("scopes", "needed"), list(product(SETS, KeyScope)))
def test_a_key_may_what_it_was_given(scopes: frozenset[KeyScope], needed: KeyScope) -> None:
    reads = bool(scopes & {READ, ORDERS, REFUNDS})
    assert allows(scopes, needed, sandbox=False) is (reads if needed is READ else needed in scopes)


@pytest.mark.parametrize(("scopes", "needed"), list(product(SETS, KeyScope)))
def test_sandbox_keys_that_write_upload_statements_too(scopes: frozenset[KeyScope], needed: KeyScope) -> None:
    more = needed is STATEMENTS and bool(scopes & {ORDERS, REFUNDS})
    assert allows(scopes, needed, sandbox=True) is (more or allows(scopes, needed, sandbox=False))


def test_keys_of_before_are_orders_and_refunds() -> None:
    assert parse_scopes("read-write") == {ORDERS, REFUNDS}
    assert parse_scopes("read") == {READ}
    assert parse_scopes("read-write, statements") == {ORDERS, REFUNDS, STATEMENTS}


@pytest.mark.parametrize("scopes", SETS)
def test_text_of_scopes_is_read_again(scopes: frozenset[KeyScope]) -> None:
    assert parse_scopes(scopes_text(scopes)) == scopes


def test_names() -> None:
    assert scopes_text({REFUNDS, ORDERS}) == "read-write"
    assert scopes_text({STATEMENTS, REFUNDS}) == "refunds,statements"
    assert scopes_text({COLLECTION}) == "collection"
    assert scopes_text(frozenset(KeyScope)) == "read-write,read,statements,collection"


@pytest.mark.parametrize("text", ["", "write", "read,", "Orders", "read;orders"])
def test_unknown_names_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a valid KeyScope"):
        parse_scopes(text)


def test_a_key_that_only_reads() -> None:
    assert [scopes for scopes in SETS if only_reads(scopes)] == [frozenset({READ})]
