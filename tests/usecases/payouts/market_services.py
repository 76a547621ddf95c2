"""Files of marketplaces and shop systems: Amazon, Shopify Payments, SumUp and Wise."""

# ruff: noqa: E501  # rows as the services write them
from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time
from typing import Final

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


def amazon_number(order: int) -> str:
    return f"303-{order:07d}-1234567"


_AMAZON_KINDS: Final = {"sale": "Order", "refund": "Refund", "chargeback": "Chargeback Refund"}


def _amazon_parts(each: Happening) -> list[tuple[str, str, int]]:
    """Amounts of an event as Amazon cuts them: two items, shipping, and their commissions."""
    sign = 1 if each.minor > 0 else -1
    whole = abs(each.minor)
    shipping = min(399, whole // 4)
    tax = (whole - shipping) * 19 // 119
    half, off = (whole - shipping - tax) // 2, whole // 10
    found = [
        ("ItemPrice", "Principal", sign * half), ("ItemPrice", "Principal", sign * (whole - shipping - tax - half)),
        ("ItemPrice", "Tax", sign * tax), ("ItemPrice", "Shipping", sign * (shipping + off)),
        ("Promotion", "Shipping", -sign * off),
    ]  # fmt: skip
    if each.fee:
        found += [
            ("ItemFees", "Commission", -(each.fee - each.fee // 3)),
            ("ItemWithheldTax", "MarketplaceFacilitatorTax-Principal", -(each.fee // 3)),
        ]
    return found


def _debts(told: Story, week: Week) -> list[int]:
    """Rows of debts that are carried over: a minus where they arrive, a plus where they arise."""
    arrive = [week.carried_in] if told.tells_of_debt and week.carried_in else []
    arise = [-week.carried_out] if told.tells_of_debt == "both" and week.carried_out else []
    return arrive + arise


def _amazon_v2(told: Story, chance: random.Random) -> list[NamedFile]:
    european = chance.random() < 0.7
    mark, day_form = (",", "%d.%m.%Y") if european else (".", "%Y-%m-%d")
    names = [
        "settlement-id",
        "settlement-start-date",
        "settlement-end-date",
        "deposit-date",
        "total-amount",
        "currency",
        "transaction-type",
        "order-id",
        "merchant-order-id",
        "adjustment-id",
        "shipment-id",
        "marketplace-name",
        "amount-type",
        "amount-description",
        "amount",
        "fulfillment-id",
        "posted-date",
        "posted-date-time",
        "order-item-code",
        "merchant-order-item-id",
        "merchant-adjustment-item-id",
        "sku",
        "quantity-purchased",
        "promotion-id",
    ]
    made = []
    for week in told.weeks:
        own = f"8102182274{week.number}"
        first = dict.fromkeys(names, "") | {
            "settlement-id": own,
            "settlement-start-date": week.sent.strftime(f"{day_form} 00:00:00 UTC"),
            "deposit-date": week.sent.strftime(f"{day_form} 00:00:00 UTC"),
            "total-amount": text_of(week.net + sum(_debts(told, week)), mark),
            "currency": "EUR",
        }
        rows = [first]
        rows += [
            dict.fromkeys(names, "")
            | {
                "settlement-id": own, "transaction-type": "other-transaction", "amount-type": "other-transaction",
                "amount-description": "Payable to Amazon", "amount": text_of(minor, mark),
                "posted-date": week.sent.strftime(day_form),
            }
            for minor in _debts(told, week)
        ]  # fmt: skip
        for each in week.happenings:
            base = dict.fromkeys(names, "") | {
                "settlement-id": own,
                "posted-date": each.at.strftime(day_form),
                "posted-date-time": each.at.strftime(f"{day_form} %H:%M:%S UTC"),
            }
            if each.order:
                for place, (part, detail, minor) in enumerate(_amazon_parts(each)):
                    rows.append(base | {
                        "transaction-type": _AMAZON_KINDS[each.kind], "order-id": amazon_number(each.order),
                        "shipment-id": f"D{each.number}", "marketplace-name": "Amazon.de", "amount-type": part,
                        "amount-description": detail, "amount": text_of(minor, mark), "order-item-code": str(place % 2),
                        "sku": f"ART-{place % 2}", "quantity-purchased": "1",
                    })  # fmt: skip
            elif each.kind == "fee":
                rows.append(
                    base
                    | {
                        "transaction-type": "ServiceFee",
                        "amount-type": "Cost of Advertising",
                        "amount-description": "TransactionTotalAmount",
                        "amount": text_of(-each.fee, mark),
                    }
                )
            else:
                words = {"held": "Current Reserve Amount", "released": "Previous Reserve Amount Balance"}
                rows.append(
                    base
                    | {
                        "transaction-type": "other-transaction",
                        "amount-type": "other-transaction",
                        "amount-description": words[each.kind],
                        "amount": text_of(each.minor, mark),
                    }
                )
        out = "\t".join(names) + "\n" + "".join("\t".join(row[name] for name in names) + "\n" for row in rows)
        made.append((f"{own}.txt", out.encode(chance.choice(["utf-8", "cp1252"]))))
    return made


_RANGE_DE: Final = [
    "Datum/Uhrzeit",
    "Abrechnungsnummer",
    "Typ",
    "Bestellnummer",
    "SKU",
    "Beschreibung",
    "Menge",
    "Marketplace",
    "Versand",
    "Ort der Bestellung",
    "Bundesland",
    "Postleitzahl",
    "Steuererhebungsmodell",
    "Umsätze",
    "Produktumsatzsteuer",
    "Gutschrift für Versandkosten",
    "Steuer auf Versandgutschrift",
    "Gutschrift für Geschenkverpackung",
    "Steuer auf Geschenkverpackungsgutschriften",
    "Rabatte aus Werbeaktionen",
    "Steuer auf Aktionsrabatte",
    "Einbehaltene Steuer auf Marketplace",
    "Verkaufsgebühren",
    "Gebühren zu Versand durch Amazon",
    "Andere Transaktionsgebühren",
    "Andere",
    "Gesamt",
]
_RANGE_EN: Final = [
    "date/time",
    "settlement id",
    "type",
    "order id",
    "sku",
    "description",
    "quantity",
    "marketplace",
    "fulfilment",
    "order city",
    "order state",
    "order postal",
    "tax collection model",
    "product sales",
    "product sales tax",
    "postage credits",
    "shipping credits tax",
    "gift wrap credits",
    "giftwrap credits tax",
    "promotional rebates",
    "promotional rebates tax",
    "marketplace withheld tax",
    "selling fees",
    "fba fees",
    "other transaction fees",
    "other",
    "total",
]


def _amazon_range(told: Story, chance: random.Random) -> list[NamedFile]:
    german = chance.random() < 0.5
    names, mark = (_RANGE_DE, ",") if german else (_RANGE_EN, ".")
    kinds = (
        {"sale": "Bestellung", "refund": "Erstattung", "chargeback": "Rückbuchung", "fee": "Servicegebühr"}
        if german
        else {"sale": "Order", "refund": "Refund", "chargeback": "Chargeback Refund", "fee": "Service Fee"}
    )
    rows = []
    for week in told.weeks:
        own = f"8102182274{week.number}"

        def row(at: datetime, kind: str, order: str, text: str, amounts: Mapping[int, int], own: str = own) -> None:
            cells = [
                f"{at:%d.%m.%Y %H:%M:%S} UTC" if german else f"{at.day} {at:%b %Y %H:%M:%S} UTC",
                own, kind, order, "ART-1", text, "1", "amazon.de", "Verkäufer", "", "", "", "",
            ]  # fmt: skip
            parts = [amounts.get(place, 0) for place in range(13)]
            rows.append(cells + [text_of(each, mark) if each else "0" for each in parts] + [text_of(sum(parts), mark)])

        for each in week.happenings:
            if each.order:
                tax, shipping = each.minor // 6, each.minor // 10
                amounts = {0: each.minor - tax - shipping, 1: tax, 2: shipping, 9: -each.fee}
                row(each.at, kinds[each.kind], amazon_number(each.order), "Lampe", amounts)
            elif each.kind == "fee":
                row(each.at, kinds["fee"], "", "Werbekosten" if german else "Cost of Advertising", {11: -each.fee})
            else:
                words = {"held": "Current Reserve Amount", "released": "Previous Reserve Amount Balance"}
                row(each.at, "other-transaction", "", words[each.kind], {12: each.minor})
        for minor in _debts(told, week):
            last = datetime.combine(week.sent, time(9), UTC)
            row(last, "other-transaction", "", "Payable to Amazon", {12: minor})
        if week.paid > 0:
            out = datetime.combine(week.sent, time(11), UTC)
            said = "An Konto mit der Endung: 123" if german else "To account ending with: 123"
            row(out, "Übertrag" if german else "Transfer", "", said, {12: -week.paid})
    return [
        (f"2026SepNov{place}-Custom.csv", _range_file(names, part)) for place, part in enumerate(windows(rows, chance))
    ]


def _range_file(names: list[str], rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    for line in (
        "Enthält alle Transaktionen",
        "Definitionen:",
        "Umsätze: Verkaufspreis, brutto",
        "Alle Zeiten in UTC",
        "",
        "",
    ):
        text.write(f'"{line}"\r\n')
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def _amazon(told: Story) -> list[NamedFile]:
    which = told.chance.choice(["v2", "range", "both"])
    made = []
    if which != "range":
        made += _amazon_v2(told, told.chance)
    if which != "v2":
        made += _amazon_range(told, told.chance)
    return made


def _amazon_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    return "AMAZON PAYMENTS EUROPE S.C.A.", f"{chance.choice('ABCD')}1XK{week.number}PQ7WZ9 Amazon.de"


def _shopify(told: Story) -> list[NamedFile]:
    chance = told.chance
    words = {"sale": "charge", "refund": "refund", "chargeback": "chargeback", "won": "chargeback_won", "fee": "adjustment",
             "held": "reserve", "released": "reserve"}  # fmt: skip
    rows = []
    for week in told.weeks:
        for each in week.happenings:
            gross, fee = (-each.fee, 0) if each.kind == "fee" else (each.minor, each.fee)
            rows.append({
                "Transaction Date": f"{each.at:%Y-%m-%d %H:%M:%S} +0000", "Type": words[each.kind],
                "Order": "#" + told.named(each.order).lstrip("#") if each.order else "", "Card Brand": "visa", "Card Source": "online",
                "Payout Status": "paid", "Payout Date": str(week.sent), "Payout ID": f"14815657999{week.number}",
                "Available On": str(week.sent), "Amount": text_of(gross), "Fee": text_of(fee), "Net": text_of(each.net),
                "Checkout": f"#4368{each.sale or each.number}" if each.order else "", "Payment Method Name": "card",
                "Presentment Amount": text_of(each.usd or gross), "Presentment Currency": "USD" if each.usd else "EUR", "Currency": "EUR", "VAT": "0.00",
            })  # fmt: skip
    made = []
    if chance.random() < 0.5:
        last = told.weeks[-1].sent
        early = [
            row | {"Payout ID": "", "Payout Status": "pending"} if row["Payout Date"] == str(last) else row
            for row in rows
        ]
        made.append(("transactions-early.csv", table(early[::-1], chance)))
    keeps_order = chance.random() < 0.5
    for place, part in enumerate(windows(rows, chance)):
        made.append((f"transactions-{place}.csv", table(part[::-1], chance, keeps_order=keeps_order)))
    return made


def _shopify_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    return chance.choice([("Shopify International Ltd", "SHOPIFY 8K2LQ"), ("STRIPE", "SHOPIFY X9QT2")])


_SUMUP_WON: Final = ("Rückbuchung", "Rückbuchung storniert", "Rückbuchung gewonnen", "Umkehr der Rückbuchung")


def _sumup_report(told: Story, code_of: Callable[[Happening], str]) -> list[NamedFile]:
    chance = told.chance
    rows = []
    kinds = {
        "sale": "Zahlung", "refund": "Rückerstattung", "chargeback": "Rückbuchung", "won": chance.choice(_SUMUP_WON),
    }  # fmt: skip
    for week in told.weeks:
        sent = f"{week.sent:%d.%m.%Y} 05:00:00"
        for each in week.happenings:
            base = {
                "Zeitstempel": f"{each.at:%d.%m.%Y %H:%M:%S}", "Transaktionscode": code_of(each), "Transaktionsart": kinds[each.kind],
                "Status": "Erfolgreich", "Kartentyp": "VISA", "Letzte 4 Ziffern": "4242",
                "Beschreibung": chance.choice(TEXTS).format(told.named(each.order)), "Betrag": text_of(each.minor, ",", "."), "Währung": "EUR",
                "Steuerbetrag": "0,00", "Trinkgeldbetrag": "0,00", "Gebührenbetrag": text_of(each.fee, ","),
                "Auszahlungsbetrag": "", "Auszahlungsdatum": "", "Auszahlungs-ID": "",
            }  # fmt: skip
            rows.append(base)
            rows.append(base | {
                "Zeitstempel": sent, "Transaktionsart": "Auszahlung", "Status": "Ausgezahlt", "Kartentyp": "",
                "Letzte 4 Ziffern": "", "Beschreibung": "", "Auszahlungsbetrag": text_of(each.net, ",", "."),
                "Auszahlungsdatum": f"{week.sent:%d.%m.%Y}", "Auszahlungs-ID": _sumup_payout(week),
            })  # fmt: skip
    rows.sort(key=lambda row: (row["Zeitstempel"][6:10], row["Zeitstempel"][3:5], row["Zeitstempel"][:2]))
    if chance.random() < 0.3:
        rows.reverse()
    keeps_order, encoding = chance.random() < 0.5, chance.choice(["utf-8-sig", "utf-8", "cp1252", "utf-16"])
    return [
        (f"SumUp-Bericht{place}.csv", table(part, chance, keeps_order=keeps_order, encoding=encoding))
        for place, part in enumerate(windows(rows, chance))
    ]


def _sumup_payout(week: Week) -> str:
    return f"SUMUP PID1283966 PAYOUT 2511{week.number:02d}"


def _sumup_payouts(told: Story, code_of: Callable[[Happening], str]) -> NamedFile:
    """The report of payouts: what is taken off names the transaction, not the payout."""
    is_signed = told.chance.random() < 0.5
    types = {"refund": "REFUND_DEDUCTION", "chargeback": "CHARGE_BACK_DEDUCTION"}
    rows = [
        {
            "id": str(each.number), "type": types.get(each.kind, "PAYOUT"), "amount": text_of(each.net if each.fee or is_signed else abs(each.net)),
            "date": str(week.sent), "currency": "EUR", "fee": text_of(each.fee), "status": "SUCCESSFUL",
            "reference": code_of(each) if each.kind in types else _sumup_payout(week), "transaction_code": code_of(each),
        }
        for week in told.weeks
        for each in week.happenings
    ]  # fmt: skip
    return ("payouts-api.csv", table(rows, told.chance))


def _sumup(told: Story) -> list[NamedFile]:
    by_sale = told.chance.random() < 0.6

    def code_of(each: Happening) -> str:
        return f"TAAA{(each.sale or each.number) if by_sale else each.number:05d}"

    made = _sumup_report(told, code_of)
    return [*made, _sumup_payouts(told, code_of)] if told.chance.random() < 0.4 else made


def _sumup_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    return chance.choice(["SumUp Limited", "SUMUP PAYMENTS LTD"]), _sumup_payout(week)


def _wise(told: Story) -> list[NamedFile]:
    chance = told.chance
    rows, balance = [], 0
    for week in told.weeks:
        happened = sorted(week.happenings, key=lambda each: each.at)
        if week.paid:
            out = datetime.combine(week.sent, time(5), UTC)
            happened = [*happened, Happening("payout", -week.paid, 0, out, 9000 + week.number)]
        for each in happened:
            balance += each.net
            texts = {
                "sale": "Received money from Mila Kora",
                "payout": "Sent money to Weeks",
                "fee": f"Wise charges for: BALANCE-{each.number}",
            }
            rows.append({
                "TransferWise ID": f"TRANSFER-12345{each.number:05d}", "Date": f"{each.at:%d-%m-%Y}",
                "Date Time": f"{each.at:%d-%m-%Y %H:%M:%S}.125", "Amount": text_of(each.net), "Currency": "EUR",
                "Description": texts[each.kind], "Payment Reference": told.named(each.order) if each.order else "",
                "Running Balance": text_of(balance), "Exchange From": "", "Exchange To": "", "Exchange Rate": "",
                "Payer Name": "Mila Kora" if each.kind == "sale" else "", "Payee Name": "Weeks" if each.kind == "payout" else "",
                "Payee Account Number": "", "Merchant": "", "Card Last Four Digits": "", "Card Holder Full Name": "",
                "Attachment": "", "Note": "", "Total fees": text_of(each.fee), "Exchange To Amount": "",
                "Transaction Type": "CREDIT" if each.net > 0 else "DEBIT",
                "Transaction Details Type": {"sale": "DEPOSIT", "payout": "TRANSFER"}.get(each.kind, ""),
            })  # fmt: skip
    may_lack = ("Transaction Type", "Transaction Details Type", "Exchange To Amount", "Note", "Attachment", "Date Time")
    keeps_order = chance.random() < 0.5
    return [
        (f"statement_EUR{place}.csv", table(part[::-1], chance, may_lack=may_lack, keeps_order=keeps_order))
        for place, part in enumerate(windows(rows, chance))
    ]


def _wise_bank(week: Week, chance: random.Random) -> tuple[str, str]:
    return "Weeks", "Umbuchung"


SERVICES: Final = (
    Service(
        "amazon",
        "kept in both",
        ("refund", "chargeback", "fee", "held", "released"),
        _amazon,
        _amazon_bank,
        amazon_number,
    ),
    Service("shopify", "joins debt kept", (*ALL_KINDS, "foreign", "fee back"), _shopify, _shopify_bank),
    Service("sumup", "joins debt kept", ("refund", "chargeback", "won", "fee back"), _sumup, _sumup_bank),
    Service("wise", "draws", ("fee",), _wise, _wise_bank),
)
