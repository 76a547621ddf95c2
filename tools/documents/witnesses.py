"""docs/witnesses.md: who states each fact of a posting, printed from the table in `domain/witnesses.py`."""

from __future__ import annotations

from typing import Final

from paymatch.domain.witnesses import FACTS, Fact, Witness, may_state_money

_MEANT: Final = {
    Witness.BANK: "Places of a bank format that a payer cannot write to.",
    Witness.PROVIDER: "Columns of a settlement file that arrived by a trusted channel.",
    Witness.PERSON: "A user who is signed in to the merchant area or the command line.",
    Witness.MERCHANT: "Data that arrived with the shop's API key.",
    Witness.PAYER: "Remittance text, EndToEndId, purpose, and a name where the format lets the payer choose it.",
    Witness.CUSTOMER: "Order data that the shop's customer chooses: names, company, addresses, e-mail, user name.",
}


def witnesses() -> str:
    """The page."""
    lines = [
        "# Witnesses",
        "",
        "Every fact has a witness: the source that states it ([D-80](decisions/080-whose-word-counts.md)). Text that a"
        " payer types stays text.",
        "Written by `make docs` from `domain/witnesses.py`.",
        "",
        "| witness | which places | may state money |",
        "|---|---|---|",
        *(f"| {each.value} | {_MEANT[each]} | {'yes' if may_state_money(each) else 'no'} |" for each in Witness),
        "",
        "## Facts of a posting",
        "",
        "In front of the text: before `SVWZ+` in German tags, before `/REMI/` in slash words.",
        "Slash words at the start of a free `:86:` are text where `/REMI/` is missing and banks always write it.",
        "In Polish tables with labels the sender's account counts only beside the bank's own title (`Tytuł`).",
        "Text that could be either's is the payer's.",
        "Of money out and of returns marked by the bank no payer wrote the text, so references in it count. A debit"
        " that its payee collected (direct debit, card) has the payee's words: it is a suggestion at most.",
        "",
        "| fact | witness | camt | MT940 | table | OFX | account information | may alone |",
        "|---|---|---|---|---|---|---|---|",
        *map(_row, FACTS),
        "",
        "Typed `EREF+X SVWZ+Y` at the very beginning of a text without form gains nothing: both are the payer's words.",
        "",
        "## Rows of a settlement file",
        "",
        "Gross, fee, net, currency, kind, dates and ids of transaction and payout are the provider's, if the file came"
        " by a trusted channel. The order's number is the merchant's: the shop gave it to the provider. Descriptions"
        " are the customer's.",
        "",
        "A bank that uses a separator (`?` in the German :86:) does not let it through in a payer's text. If it does, a"
        " code between two text subfields is text, and the last run of codes behind the text is the bank's.",
        "",
    ]
    return "\n".join(lines)


def _row(fact: Fact) -> str:
    places = " | ".join((fact.camt, fact.mt940, fact.table, fact.ofx, fact.report))
    return f"| `{fact.field}` | {fact.witness.value} | {places} | {fact.alone} |"
