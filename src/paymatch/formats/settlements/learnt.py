"""A layout that a person has mapped once: a settlement of a provider that the package does not know (D-80, D-83)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from paymatch.domain.payouts.movements import MovementKind
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.settlements.layouts import BY_SIGN, Layout, LayoutBroken, SettlementColumn, check_layout

_DEBITS: Final = {
    SettlementColumn.GROSS: SettlementColumn.GROSS_DEBIT,
    SettlementColumn.NET: SettlementColumn.NET_DEBIT,
}


class MappingRefused(Refused):
    """The columns that a person has named are not a layout of a settlement."""


def learnt_layout(
    provider: str,
    name: str,
    columns: Mapping[SettlementColumn, str],
    kinds: Mapping[str, MovementKind] | None = None,
    *,
    has_signs: bool = False,
) -> Layout:
    """The layout of a person's mapping: what each column holds, and which words of the kind's column mean what.

    Several headings are separated by `|`: amounts are added up, of others the first that is filled counts. A column of
    debits beside its credits is a sign of its own. Without words for a kind the sign of the gross amount decides, if
    amounts in the file have signs: `has_signs` is the person's word that they have. MappingRefused where amounts or a
    day are not mapped.
    """
    mapped = {what: _headings(heading) for what, heading in columns.items() if heading.strip(" |")}
    _check_columns(mapped, kinds or {})
    layout = Layout(
        provider=provider,
        report="settlement",
        provider_name=name,
        headings=tuple(dict.fromkeys(heading for headings in mapped.values() for heading in headings)),
        columns=mapped,
        kinds=tuple((_literal(word), kind.value) for word, kind in (kinds or {}).items()),
        other_kind=MovementKind.ADJUSTMENT.value if kinds else BY_SIGN,
        fee_sign="",
        decimal_mark="",
        date_order="",
        is_signed=has_signs or any(debit in mapped for debit in _DEBITS.values()),
        id_needs_kind=True,
        knows_words=bool(kinds),
    )
    try:
        check_layout(layout)
    except LayoutBroken as error:
        raise MappingRefused(Message("text", value=str(error))) from None
    return layout


def _check_columns(mapped: Mapping[SettlementColumn, tuple[str, ...]], kinds: Mapping[str, MovementKind]) -> None:
    """MappingRefused where these columns cannot prove what a settlement says."""
    for amount, debit in _DEBITS.items():
        if debit in mapped and amount not in mapped:
            raise MappingRefused(Message("mapping-column-needs-column-what", debit=debit, amount=amount))
    if SettlementColumn.GROSS not in mapped and SettlementColumn.NET not in mapped:
        raise MappingRefused(Message("mapping-settlement-needs-column-with"))
    if SettlementColumn.FEE in mapped and not {SettlementColumn.GROSS, SettlementColumn.NET} <= mapped.keys():
        raise MappingRefused(Message("mapping-settlement-with-fee-needs"))
    if SettlementColumn.TIME not in mapped and SettlementColumn.PAYOUT_DATE not in mapped:
        raise MappingRefused(Message("mapping-settlement-needs-column-with-day"))
    if kinds and SettlementColumn.KIND not in mapped:
        raise MappingRefused(Message("mapping-words-kinds-need-column"))


def _headings(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (each.strip() for each in text.split("|"))))


def layout_to_json(layout: Layout) -> str:
    """The layout as JSON, to be kept with the account."""
    return msgspec.json.encode(layout, enc_hook=as_text).decode()


def layout_from_json(text: str) -> Layout:
    """The layout of `layout_to_json`; ValueError if the text is none."""
    return msgspec.json.decode(text, type=Layout)


def _literal(word: str) -> str:
    """A word as a pattern that only it fits."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in word.casefold().strip())
