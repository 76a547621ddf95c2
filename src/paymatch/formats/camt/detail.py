"""Details of a camt entry (TxDtls) from the texts of their elements."""

from __future__ import annotations

from typing import Any, Final

from paymatch.formats.account_numbers import reference_kind
from paymatch.formats.camt.plan import AmountPlace, AmountsPlan, ChargePlan, DetailPlan, ReturnPlan
from paymatch.formats.camt.values import SIGNS, ValueUnreadable, amount_if_readable, amount_of, gvc_of, joined_code
from paymatch.formats.quick_values import quick
from paymatch.formats.statement import Charge, Detail, Party

_NOBODY: Final = Party()
_quick_detail: Final = quick(Detail)
_quick_party: Final = quick(Party)


def read_detail(plan: DetailPlan, texts: list[str], sign: int, currency: str) -> Detail:
    """The detail of an entry of that sign and currency; ValueUnreadable if its own amount or sign is not certain.

    `texts` are those of its elements, stripped (but for Ustrd), and a last empty one, at which missing fields point.
    """
    (
        direction, end_to_end, instruction, transaction, uetr, mandate, message, payment, bank_reference, clearing,
        cheque, domain, family, sub_family, proprietary, issuer, purpose, purpose_text, info,
    ) = plan.pick(texts)  # fmt: skip
    if direction:
        sign = _sign_of(direction)
    debtor = creditor = _NOBODY
    trading = initiating = ""
    if plan.has_parties:
        debtor, creditor, trading, initiating = _parties(plan, texts)
    minor: int | None = None
    if plan.amount_places:
        minor, currency = _amount(plan.amount_places, texts, sign, currency)
    rare = _rare_fields(plan, texts) if plan.has_rare else {}
    return _quick_detail(
        minor,
        currency,
        end_to_end,
        instruction,
        transaction,
        uetr,
        mandate,
        message,
        payment,
        bank_reference,
        clearing,
        debtor=debtor,
        creditor=creditor,
        remittance_lines=_remittance(plan.unstructured, texts),
        purpose=purpose,
        purpose_text=purpose_text,
        additional_info=info,
        bank_code=joined_code(domain, family, sub_family),
        proprietary_code=proprietary,
        gvc=gvc_of(proprietary, issuer) if proprietary else "",
        cheque_number=cheque,
        trading_party=trading,
        initiating_party=initiating,
        **rare,
    )


def _sign_of(direction: str) -> int:
    try:
        return SIGNS[direction]
    except KeyError:
        raise ValueUnreadable(f"TxDtls/CdtDbtInd: {direction!r} is neither CRDT nor DBIT") from None


def _rare_fields(plan: DetailPlan, texts: list[str]) -> dict[str, Any]:
    """Fields that few details have."""
    rare: dict[str, Any] = {}
    if plan.amounts:
        rare |= amounts_of(plan.amounts, texts)
    if plan.charges:
        rare["charges"] = charges_of(plan.charges, texts)
    if plan.remittance:
        rare |= _structured(plan, texts)
    if plan.return_info:
        rare |= _return_info(plan.return_info, texts)
    if plan.other_references:
        rare["other_references"] = tuple(
            (kind if isinstance(kind, str) else texts[kind], texts[place]) for kind, place in plan.other_references
        )
    return rare


def _remittance(places: list[int], texts: list[str]) -> tuple[str, ...]:
    if len(places) == 1 and (text := texts[places[0]]) and text.isprintable() and text[0] != " ":
        return (text,)
    return tuple([line for place in places for line in lines_of(texts[place])])


def lines_of(text: str) -> tuple[str, ...]:
    """An unstructured remittance text as sent; a line break in it, with the indentation of a file, is one blank.

    Blanks at the ends are kept, as a bank may cut a text into lines of 35 or 140 characters at a blank.
    """
    if "\n" in text or "\r" in text:
        text = " ".join(line for part in text.splitlines() if (line := part.strip()))
    return (text,) if text and not text.isspace() else ()


def amounts_of(plan: AmountsPlan, texts: list[str]) -> dict[str, Any]:
    """The fields of AmtDtls that inform only: an amount that cannot be read is left out."""
    instructed, counter = plan.instructed, plan.counter
    fields: dict[str, Any] = {"exchange_rate": texts[plan.rate]}
    minor = amount_if_readable(texts[instructed.place], instructed.currency)
    if minor is not None:
        fields |= {"instructed_amount_minor": minor, "instructed_currency": instructed.currency}
    minor = amount_if_readable(texts[counter.place], counter.currency)
    if minor is not None:
        fields |= {"counter_value_minor": minor, "counter_value_currency": counter.currency}
    return fields


def charges_of(plans: list[ChargePlan], texts: list[str]) -> tuple[Charge, ...]:
    """Charges of an entry or detail, without those of 0 and those that cannot be read; a refunded one is negative."""
    charges: list[Charge] = []
    for plan in plans:
        minor = amount_if_readable(texts[plan.amount.place], plan.amount.currency)
        if minor:
            sign = -1 if texts[plan.direction] == "CRDT" else 1
            included = texts[plan.included] in {"true", "1"}
            charges.append(Charge(sign * minor, plan.amount.currency, included, texts[plan.bearer]))
    return tuple(charges)


def _amount(places: list[AmountPlace], texts: list[str], sign: int, currency: str) -> tuple[int | None, str]:
    """Signed amount and currency: the first amount in the entry's currency, else the first of all."""
    chosen = places[0]
    if chosen.currency != currency:
        chosen = next((place for place in places if place.currency == currency), chosen)
    text = texts[chosen.place]
    if not text or not chosen.currency:
        return None, currency
    return sign * amount_of(text, chosen.currency, "TxDtls/Amt"), chosen.currency


def _parties(plan: DetailPlan, texts: list[str]) -> tuple[Party, Party, str, str]:
    (
        debtor, debtor_account, debtor_bic, ultimate_debtor,
        creditor, creditor_account, creditor_bic, ultimate_creditor,
        trading, initiating,
    ) = plan.pick_parties(texts)  # fmt: skip
    return (
        _quick_party(debtor, debtor_account.replace(" ", ""), debtor_bic, ultimate_debtor),
        _quick_party(creditor, creditor_account.replace(" ", ""), creditor_bic, ultimate_creditor),
        trading,
        initiating,
    )


def _structured(plan: DetailPlan, texts: list[str]) -> dict[str, Any]:
    assert plan.remittance
    references = [(texts[kind], texts[place]) for kind, place in plan.remittance.references]
    return {
        "structured_references": tuple((reference_kind(kind, text), text) for kind, text in references if text),
        "referred_documents": tuple(text for place in plan.remittance.documents if (text := texts[place])),
        "additional_remittance": tuple(text for place in plan.remittance.additional if (text := texts[place])),
    }


def _return_info(plan: ReturnPlan, texts: list[str]) -> dict[str, Any]:
    domain, family, sub_family, proprietary = plan.code(texts)
    return {
        "returned": True,
        "return_reason": texts[plan.reason],
        "return_text": " ".join(text for place in plan.texts if (text := texts[place])),
        "original_bank_code": joined_code(domain, family, sub_family) or proprietary,
    }
