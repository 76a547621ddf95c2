"""Files of payment services: Stripe, PayPal, Klarna and Mollie."""

# ruff: noqa: E501  # rows as the services write them
from __future__ import annotations

import csv
import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Any, Final

from tests.usecases.payouts.service_weeks import (
    ALL_KINDS,
    TEXTS,
    Happening,
    NamedFile,
    Service,
    Story,
    Week,
    table,
    text_of,
    windows,
)

_STRIPE_KINDS: Final = {
    "sale": "charge", "refund": "refund", "chargeback": "dispute", "won": "dispute_reversal", "fee": "fee",
    "held": "risk_reserved_funds", "released": "risk_reserved_funds",
}  # fmt: skip


def _po(week: Week) -> str:
    return f"po_1QLbWm4c{week.number}xY"


def _stripe(told: Story) -> list[NamedFile]:
    chance, shuffled = told.chance, told.chance.random() < 0.5
    places = chance.choice(["metadata", "description", "invoice"])
    rows: dict[str, list[dict[str, str]]] = {}
    for week in told.weeks:
        for each in week.happenings:
            gross, fee = (-each.fee, 0) if each.kind == "fee" else (each.minor, each.fee)
            number = told.named(each.order) if each.kind == "sale" or chance.random() < 0.5 else ""
            sale = each.sale or each.number
            rows.setdefault(_po(week), []).append(
                {
                    "automatic_payout_id": _po(week),
                    "automatic_payout_effective_at": f"{week.sent} 00:00:00",
                    "balance_transaction_id": f"txn_{each.number}",
                    "created_utc": f"{each.at:%Y-%m-%d %H:%M:%S}",
                    "created": f"{each.at:%Y-%m-%d %H:%M:%S}",
                    "available_on": f"{week.sent} 00:00:00",
                    "currency": "eur",
                    "gross": text_of(gross),
                    "fee": text_of(fee),
                    "net": text_of(each.net),
                    "reporting_category": _STRIPE_KINDS[each.kind],
                    "source_id": f"ch_{each.number}",
                    "description": f"{chance.choice(TEXTS).format(number)}"
                    if places == "description" and number
                    else "Lamp, red",
                    "customer_facing_amount": text_of(each.usd or gross),
                    "customer_facing_currency": "usd" if each.usd else "eur",
                    "charge_id": f"ch_{sale}" if each.order else "",
                    "payment_intent_id": f"pi_{sale}" if each.order else "",
                    "invoice_number": number if places == "invoice" else "",
                    "payment_metadata[order_id]": number if places == "metadata" else "",
                }
            )
    may_lack: tuple[str, ...] = (
        "created",
        "available_on",
        "source_id",
        "description",
        "created_utc",
        chance.choice(["charge_id", "payment_intent_id"]),
    )
    may_lack = () if places == "description" else may_lack
    look: dict[str, Any] = {"keeps_order": not shuffled, "may_lack": may_lack}
    every = [row for of_payout in rows.values() for row in of_payout]
    if chance.random() < 0.5:
        made = [("reconciliation.csv", table(every, chance, **look))]
    elif chance.random() < 0.5:
        made = [(f"{name}.csv", table(of_payout, chance, **look)) for name, of_payout in rows.items()]
    else:
        made = [(f"window-{n}.csv", table(part, chance, **look)) for n, part in enumerate(windows(every, chance))]
    if chance.random() < 0.5:
        part = every[: max(1, len(every) // 2)]
        lacks = ("automatic_payout_id", "automatic_payout_effective_at")
        activity = [{name: cell for name, cell in row.items() if name not in lacks} for row in part]
        dropped = (chance.choice(["charge_id", "payment_intent_id"]),)
        made.append(("activity.csv", table(activity, chance, keeps_order=not shuffled, may_lack=dropped)))
    if chance.random() < 0.5:
        payouts = [
            {
                "payout_id": _po(week),
                "effective_at": f"{week.sent} 00:00:00",
                "balance_transaction_id": f"txn_p{week.number}",
                "currency": "eur",
                "gross": text_of(-week.paid),
                "fee": "0.00",
                "net": text_of(-week.paid),
                "reporting_category": "payout",
                "trace_id": f"STRIPE8G4K{week.number}",
            }
            for week in told.weeks
            if week.paid
        ]
        if payouts:
            made.append(("payouts.csv", table(payouts, chance)))
    return made


def _stripe_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    text = chance.choice([f"STRIPE {_po(week).upper()}", _po(week), "STRIPE Q7R2 Teehaus", "Teehaus"])
    return chance.choice(["STRIPE", "Stripe Payments Europe Ltd", "STRIPE TECHNOLOGY EUROPE LTD"]), text


_PAYPAL_DE: Final = {
    "sale": "PayPal Express-Zahlung", "refund": "Rückzahlung", "chargeback": "Rückbuchung",
    "won": "Storno der Rückbuchung", "fee": "Rückbuchungsgebühr", "held": "Einbehaltung für offene Zahlung",
    "released": "Freigabe von einbehaltenem Betrag",
    "exchange": "Allgemeine Währungsumrechnung", "deposit": "Bankgutschrift auf PayPal-Konto", "payout": "Von Nutzer eingeleitete Abbuchung",
}  # fmt: skip
_PAYPAL_EN: Final = {
    "sale": "Website Payment", "refund": "Payment Refund", "chargeback": "Chargeback", "won": "Chargeback Reversal",
    "fee": "Chargeback Fee", "held": "Hold on Balance for Dispute Investigation",
    "released": "Cancellation of Hold for Dispute Resolution", "exchange": "General Currency Conversion",
    "deposit": "Bank Deposit to PP Account ", "payout": "General Withdrawal - Bank Account",
}  # fmt: skip
_PAYPAL_CODES: Final = {
    "sale": "T0006", "refund": "T1107", "chargeback": "T1201", "won": "T1202", "fee": "T0106", "held": "T1110",
    "released": "T1111", "payout": "T0400", "exchange": "T0200", "deposit": "T0300",
}  # fmt: skip
_PAYPAL_HEADINGS: Final = (
    ("date", "Datum", "Date"), ("clock", "Uhrzeit", "Time"), ("zone", "Zeitzone", "TimeZone"), ("name", "Name", "Name"),
    ("type", "Typ", "Type"), ("status", "Status", "Status"), ("currency", "Währung", "Currency"),
    ("gross", "Brutto", "Gross"), ("fee", "Entgelt", "Fee"), ("net", "Netto", "Net"),
    ("id", "Transaktionscode", "Transaction ID"), ("reference", "Zugehöriger Transaktionscode", "Reference Txn ID"),
    ("invoice", "Rechnungsnummer", "Invoice Number"), ("balance", "Guthaben", "Balance"),
    ("subject", "Betreff", "Subject"), ("effect", "Auswirkung auf Guthaben", "Balance Impact"),
)  # fmt: skip


@dataclass(frozen=True)
class _PayPalRow:
    """A row of PayPal: what happened, and the balance of its currency afterwards."""

    kind: str
    gross: int
    fee: int
    currency: str
    at: datetime
    own: str
    reference: str = ""
    order: int = 0
    balance: int = 0

    @property
    def net(self) -> int:
        return self.gross - self.fee


def _paypal_ledger(told: Story) -> list[_PayPalRow]:
    """All rows in time with the balance after each; a withdrawal takes what the week leaves."""
    found, balances = [], {"EUR": 0, "USD": 0}
    for week in told.weeks:
        rows = [row for each in sorted(week.happenings, key=lambda each: each.at) for row in _paypal_rows(each)]
        if week.paid:
            out = datetime.combine(week.sent, time(5), UTC)
            rows.append(_PayPalRow("payout", -week.paid, 0, "EUR", out, f"7AB{9000 + week.number:014d}"))
        for row in rows:
            balances[row.currency] += row.net
            found.append(replace(row, balance=balances[row.currency]))
    return found


def _paypal_rows(each: Happening) -> list[_PayPalRow]:
    """One row; with another currency two more, which exchange its net amount."""
    gross, fee = (-each.fee, 0) if each.kind == "fee" else (each.minor, each.fee)
    own, sale = f"7AB{each.number:014d}", f"7AB{each.sale:014d}" if each.sale else ""
    order = each.order if each.kind == "sale" else 0
    if each.kind == "bought":  # paid from the bank account, as it is with too little on the account
        paid = _PayPalRow("deposit", -each.usd, 0, "EUR", each.at, f"7BD{each.number:014d}", own)
        return [paid, _PayPalRow("sale", each.usd, 0, "EUR", each.at, own)]
    if not each.usd:
        return [_PayPalRow(each.kind, gross, fee, "EUR", each.at, own, sale, order)]
    net = each.usd - each.usd_fee
    return [
        _PayPalRow(each.kind, each.usd, each.usd_fee, "USD", each.at, own, sale, order),
        _PayPalRow("exchange", -net, 0, "USD", each.at, f"7CD{each.number:014d}", own),
        _PayPalRow("exchange", each.net, 0, "EUR", each.at, f"7EF{each.number:014d}", own),
    ]


def _paypal_activity(told: Story, ledger: list[_PayPalRow]) -> list[bytes]:
    chance, german = told.chance, told.chance.random() < 0.5
    mark, thousands = (",", ".") if german else (".", ",")
    day_form = "%d.%m.%Y" if german else "%d/%m/%Y"
    if not german and all(each.at.day <= 12 for each in ledger):
        day_form = "%Y-%m-%d"
    rows: list[dict[str, str]] = []
    for each in ledger:
        effect = ("Haben" if each.net > 0 else "Soll") if german else ("Credit" if each.net > 0 else "Debit")
        rows.append({
            "date": each.at.strftime(day_form), "clock": each.at.strftime("%H:%M:%S"), "zone": "UTC",
            "name": "Mila Kora", "type": (_PAYPAL_DE if german else _PAYPAL_EN)[each.kind],
            "status": "Abgeschlossen" if german else "Completed", "currency": each.currency,
            "gross": text_of(each.gross, mark, thousands), "fee": text_of(-each.fee, mark, thousands),
            "net": text_of(each.net, mark, thousands), "id": each.own, "reference": each.reference,
            "invoice": told.named(each.order), "balance": text_of(each.balance, mark, thousands), "subject": "",
            "effect": effect,
        })  # fmt: skip
        if each.kind == "sale" and chance.random() < 0.3:
            memo = {
                **rows[-1],
                "type": "Allgemeine Autorisierung" if german else "General Authorization",
                "status": "Ausstehend" if german else "Pending",
                "effect": "Memo",
                "id": f"8{each.own[1:]}",
            }
            rows.append(memo)
    named = {name: de if german else en for name, de, en in _PAYPAL_HEADINGS}
    shown = [{named[name]: cell for name, cell in row.items()} for row in rows]
    if chance.random() < 0.5:
        shown.reverse()
    separator = chance.choice([",", ";", "\t"]) if german else ","
    encoding = chance.choice(["utf-8-sig", "utf-8-sig", "utf-16", "cp1252" if german else "utf-8"])
    lacks = ("Zeitzone", "TimeZone", "Betreff", "Subject", "Name", "Guthaben", "Balance", "Status")
    keeps_order = chance.random() < 0.5
    return [
        table(
            part,
            chance,
            separator=separator,
            quotes=csv.QUOTE_ALL,
            encoding=encoding,
            may_lack=lacks,
            keeps_order=keeps_order,
        )
        for part in windows(shown, chance)
    ]


def _paypal_settlement(told: Story, ledger: list[_PayPalRow]) -> bytes:
    out = [
        '"RH",2026/11/19 01:00:00 +0000,"A","X1Y2Z3",009',
        '"FH",01',
        '"SH",2026/09/01 00:00:00 +0000,2026/11/18 23:59:59 +0000,"X1Y2Z3",""',
        '"CH","Transaction ID","Invoice ID","PayPal Reference ID","PayPal Reference ID Type","Transaction Event Code",'
        '"Transaction Initiation Date","Transaction Completion Date","Transaction Debit or Credit",'
        '"Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency",'
        '"Custom Field","Consumer ID","Payment Tracking ID","Store ID"',
    ]
    sums = {"EUR": [0, 0, 0, 0], "USD": [0, 0, 0, 0]}
    for each in ledger:
        own = sums[each.currency]
        own[0 if each.gross > 0 else 1] += abs(each.gross)
        own[2 if each.fee < 0 else 3] += abs(each.fee)
        at = f"{each.at:%Y/%m/%d %H:%M:%S} +0000"
        out.append(
            f'"SB","{each.own}","{told.named(each.order)}","{each.reference}","{"TXN" if each.reference else ""}",'
            f'"{_PAYPAL_CODES[each.kind]}",{at},{at},"{"CR" if each.gross > 0 else "DR"}",{abs(each.gross)},'
            f'"{each.currency}","{"CR" if each.fee < 0 else "DR"}",{abs(each.fee)},"{each.currency}","","","",""'
        )
    for currency, own in sums.items():
        end = own[0] - own[1] + own[2] - own[3]
        out.append(f'"SF","{currency}",{own[0]},{own[1]},{own[2]},{own[3]},0,{end}')
    out += [f'"SC",{len(ledger)}', '"FF",1']
    return "\r\n".join(out).encode()


def _paypal(told: Story) -> list[NamedFile]:
    ledger = _paypal_ledger(told)
    made = []
    which = told.chance.choice(["activity", "settlement", "both"])
    if which != "settlement":
        made += [(f"Download{place}.CSV", each) for place, each in enumerate(_paypal_activity(told, ledger))]
    if which != "activity":
        made.append(("STL-20261118.CSV", _paypal_settlement(told, ledger)))
    return made


def _paypal_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    text = chance.choice(
        ["PP.1234.PP ABBUCHUNG VOM PAYPAL-KONTO", "1029384756 PP.1234.PP . ABBUCHUNG VOM PAYPAL-KONTO"]
    )
    return "PayPal Europe S.a.r.l. et Cie S.C.A", text


_KLARNA_TYPES: Final = {
    "sale": "SALE", "refund": "RETURN", "chargeback": "REVERSAL", "won": "REVERSAL_MERCHANT_PROTECTION",
    "fee": "CHARGE", "held": "HOLDBACK", "released": "RELEASE",
}  # fmt: skip


def _klarna(told: Story) -> list[NamedFile]:
    chance = told.chance
    signed, separator = chance.random() < 0.5, chance.choice([";", ","])
    made = []
    for week in told.weeks:
        sums: dict[str, int] = {}
        rows = []
        for each in week.happenings:
            parts = [(_KLARNA_TYPES[each.kind], each.minor if each.kind != "fee" else -each.fee)]
            if each.fee and each.order:
                fixed = min(20, each.fee - 1) if each.fee > 1 else 0
                word = "FEE" if each.fee > 0 else "FEE_REFUND"
                parts += [(word, -(each.fee - fixed))] + ([(word, -fixed)] if fixed else [])
            chance.shuffle(parts)
            for word, minor in parts:
                sums[word] = sums.get(word, 0) + abs(minor)
                sale = each.sale or each.number
                rows.append({
                    "type": word, "capture_date": f"{each.at:%Y-%m-%dT%H:%M:%SZ}", "payment_reference": f"98765432{week.number}",
                    "short_order_id": f"KL{sale:05d}" if each.order else "", "order_id": f"c504-{sale}" if each.order else "",
                    "capture_id": f"8e93-{sale}" if each.order else "", "merchant_reference1": told.named(each.order),
                    "amount": text_of(minor if signed else abs(minor)), "posting_currency": "EUR",
                    "refund_id": f"r-{each.number}" if each.kind == "refund" else "", "detailed_type": word + "_X",
                })  # fmt: skip
        totals = {
            "total_sale_amount": sums.get("SALE", 0), "total_fee_amount": sums.get("FEE", 0),
            "total_return_amount": sums.get("RETURN", 0), "total_reversal_amount": sums.get("REVERSAL", 0),
            "total_credit_amount": 0, "total_charge_amount": sums.get("CHARGE", 0),
            "total_holdback_amount": sums.get("HOLDBACK", 0), "total_release_amount": sums.get("RELEASE", 0),
            "opening_debt_balance": -week.carried_in, "total_deposit_amount": max(0, week.carried_in - week.carried_out),
            "total_repay_amount": max(0, week.carried_out - week.carried_in), "closing_debt_balance": -week.carried_out,
            "total_fee_refund_amount": sums.get("FEE_REFUND", 0), "total_settlement_amount": week.paid,
        }  # fmt: skip
        head = {name: text_of(minor) for name, minor in totals.items()} | {
            "payment_reference": f"98765432{week.number}",
            "settlement_currency": "EUR",
            "payout_date": f"{week.sent}T00:00:00Z",
            "merchant_settlement_type": "NET",
            "merchant_id": "K123",
        }
        keeps_order = chance.random() < 0.5
        content = table([head], chance, separator=separator, keeps_order=keeps_order) + table(
            rows, chance, separator=separator, keeps_order=keeps_order
        )
        made.append((f"klarna-{week.number}.csv", content))
    return made


def _klarna_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    return "Klarna Bank AB (publ)", chance.choice([f"98765432{week.number} K123", "KLARNA AUSZAHLUNG"])


def _mollie(told: Story) -> list[NamedFile]:
    chance = told.chance
    made, every, keeps_order = [], [], chance.random() < 0.5
    for week in told.weeks:
        rows: list[dict[str, str]] = []
        reference = f"1234567.26{week.number + 10}.01"

        def row(
            method: str,
            minor: int,
            own: str,
            text: str,
            status: str,
            at: str,
            usd: int = 0,
            reference: str = reference,
            rows: list[dict[str, str]] = rows,
        ) -> None:
            rows.append({
                "Date": at, "Payment method": method, "Currency": "USD" if usd else "EUR", "Amount": text_of(usd or minor), "Status": status,
                "ID": own, "Description": text, "Consumer name": "Mila Kora", "Consumer bank account": "",
                "Consumer BIC": "", "Settlement currency": "EUR", "Settlement amount": text_of(minor),
                "Settlement reference": reference, "Amount refunded": "",
            })  # fmt: skip

        for each in week.happenings:
            at = f"{each.at:%Y-%m-%d %H:%M:%S}"
            text = chance.choice(TEXTS).format(told.named(each.order))
            if each.kind == "sale":
                row("ideal", each.minor, f"tr_{each.number}aB", text, "Paid", at, each.usd)
            elif each.kind == "refund":
                row("refund", each.minor, f"re_{each.number}aB", text, "Refunded", at, each.usd)
            elif each.kind in ("chargeback", "won"):
                row("chargeback", each.minor, f"chb_{each.number}", text, "Charged back", at, each.usd)
        if fees := sum(each.fee for each in week.happenings):
            row("", -fees, "", f"Withheld transaction fees MOL-2026-001{week.number}", "", f"{week.sent} 00:00:00")
        every += rows
        made.append(
            (f"settlement-{week.number}.csv", table(rows, chance, quotes=csv.QUOTE_ALL, keeps_order=keeps_order))
        )
    if chance.random() < 0.3:
        return [*made[:1], ("monthly.csv", table(every, chance, quotes=csv.QUOTE_ALL))]
    return made


def _mollie_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    name = chance.choice(["Mollie B.V.", "Stichting Mollie Payments", "Stg Mollie Payments"])
    return name, chance.choice(
        [f"1234567.26{week.number + 10}.01", f"Settlement 1234567.26{week.number + 10}.01 REF 123456"]
    )


SERVICES: Final = (
    Service("stripe", "joins debt kept", (*ALL_KINDS, "foreign", "fee back"), _stripe, _stripe_bank),
    Service("paypal", "debt draws", (*ALL_KINDS, "foreign", "bought"), _paypal, _paypal_bank),
    Service("klarna", "debt", (*ALL_KINDS, "fee back"), _klarna, _klarna_bank),
    Service("mollie", "joins debt kept", ("refund", "chargeback", "won", "foreign"), _mollie, _mollie_bank),
)
