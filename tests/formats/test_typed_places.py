"""Typed tokens at the very beginning of a text, and broken over the lines of a `:86:` (D-80)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.witnesses import FACTS, Witness
from tests.formats.test_typed_tokens import SAMPLES, _file_of, _mt940
from tests.formats.typed_tokens import TOKENS, facts_of
from tests.length import share

WITHOUT_FORM: Final = frozenset({"German text", "German tags without account", "free text", "table"})
"""No word of the bank stands in front of the text: what is typed there may become another word of the payer."""
PAYERS: Final = frozenset(fact.field for fact in FACTS if fact.witness is Witness.PAYER)


def stated_by_the_bank(data: bytes) -> Any:
    """What the postings of a file state, but for the payer's words."""
    found = facts_of(data)
    if isinstance(found, str):
        return found
    return [{name: value for name, value in each.items() if name not in PAYERS} for each in found]


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"German return"}))  # no payer wrote the text of a return
def test_a_token_at_the_very_beginning_states_nothing_for_the_bank(name: str) -> None:
    file = _file_of(name)
    read = stated_by_the_bank if name in WITHOUT_FORM else facts_of
    before = read(file.data)
    for token in share(TOKENS, list(SAMPLES).index(name), 3):
        assert read(file.typed_first(token, 0)) == before, token


def german(text: str, before: str = "?20EREF+E-1", tag: str = "SVWZ+") -> bytes:
    """A German `:86:` whose text is broken into subfields of 27 characters and lines of 65."""
    codes = [*range(21, 30), *range(60, 64)]
    parts = [(tag + text)[at : at + 27] for at in range(0, len(tag + text), 27)][: len(codes)]
    fields = "".join(f"?{code}{part}" for code, part in zip(codes, parts, strict=False))
    return wrapped(f"166?00GUTSCHRIFT?109301{before}{fields}?30COBADEFFXXX?31DE02120300000000202051?32Erika Muster")


def wrapped(content: str) -> bytes:
    """The content of a `:86:` in lines of 65 characters."""
    lines = [content[at : at + 65] for at in range(0, len(content), 65)]
    return _mt940(f":86:{lines[0]}", *lines[1:])


FORMS: Final[dict[str, Callable[[str], bytes]]] = {
    "German tags": german,
    "German text": lambda text: german(text, "", ""),
    "ABN AMRO": lambda text: wrapped(
        f"/TRTP/SEPA OVERBOEKING/IBAN/NL75INGB0001234567/BIC/INGBNL2A/NAME/E MUSTER/REMI/{text}/EREF/NOTPROVIDED"
    ),
    "ING": lambda text: wrapped(f"/EREF/E-1//CNTP/NL88INGB0999999999/INGBNL2A/E MUSTER///REMI/USTD//{text}/"),
    "Rabobank": lambda text: wrapped(f"/EREF/E-1/ORDP//NAME/E MUSTER/REMI/{text}/ISDT/2026-11-24"),
    "free": lambda text: wrapped(f"Eingang {text}"),
}


@given(st.sampled_from(sorted(FORMS)), st.sampled_from(TOKENS), st.integers(1, 130), st.integers(0, 40))
def test_a_token_that_is_broken_over_lines_changes_only_the_text(
    form: str, token: str, before: int, after: int
) -> None:
    plain, written = "Bestellung SW-10001 danke " * 6, token.replace("@@", "").replace("?", "")
    base = FORMS[form]((plain[:before] + "x" * len(written) + plain[:after])[:330])
    typed = FORMS[form]((plain[:before] + written + plain[:after])[:330])
    assert facts_of(typed) == facts_of(base)
