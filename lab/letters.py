"""How fast letters are written and merged: python -m lab.letters [--letters 300].

Every letter is another one: address, items, amount and code differ, every third has the Swiss slip. Exit code 1 below
20 pages a second, on one core.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from typing import Final

from paymatch.domain.money import EUR, Currency, Money
from paymatch.formats.codes.choice import CodeKind, write_code
from paymatch.formats.codes.epc_qr import Payee
from paymatch.formats.codes.payments import CodedPayment
from paymatch.formats.codes.swiss_qr import SwissAddress, SwissBill, slip_svg
from paymatch.formats.letters.bundle import join_letters
from paymatch.formats.letters.letter import Letter, PaymentRow, WrittenLetter, write_letter
from paymatch.formats.letters.paper import Paper

GOAL: Final = 20
_ITEMS: Final = 12
_CREDITOR: Final = SwissAddress("Muster AG", "8000", "Zürich", "CH", "Bahnhofstrasse", "1")


def written(number: int) -> WrittenLetter:
    """A letter that no other resembles closely enough to be remembered."""
    code, slip = b"", b""
    if number % 3:
        payment = CodedPayment(Payee("Muster GmbH", "DE89370400440532013000"), Money(1000 + number, EUR), "")
        code = write_code(CodeKind.EPC, payment).svg()
    else:
        amount = Money(1000 + number, Currency("CHF"))
        slip = slip_svg(SwissBill("CH5800791123000889012", _CREDITOR, amount, ""), "de")
    return write_letter(
        Letter(
            paper=Paper.DIN_5008, language="de", brand="Muster GmbH", accent="#0f6b4f", accent_text="#0f6b4f",
            sender="Muster GmbH · Weg 1 · 10115 Berlin",
            recipient=[f"Erika Mustermann {number}", f"Heidestr. {number}", "51147 Köln"],
            details=[("Datum", "02.03.2026"), ("Bestellung", f"A-{number}")],
            subject=f"Zahlungserinnerung zu Ihrer Bestellung A-{number}",
            paragraphs=["Guten Tag,", f"für Ihre Bestellung A-{number} haben wir noch keine Zahlung erhalten. " * 4],
            closing=["Mit freundlichen Grüßen"], page="Seite {page} von {pages}", running=f"Muster · A-{number}",
            footer=["HRB 1234"], item_names=("Artikelnummer", "Artikel"),
            items=[(f"{number}-{item}", f"Ein Gegenstand {item}") for item in range(_ITEMS)],
            payment=[PaymentRow("Zu zahlen", f"{number},00 €", strong=True), PaymentRow("IBAN", "DE89 3704 0044")],
            code_svg=code, code_caption="Code", slip_svg=slip,
        )
    )  # fmt: skip


def main() -> int:
    """Prints pages a second; 1 if they are below the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=300)
    count = parser.parse_args().letters
    written(0)  # typefaces are looked for once
    begun, spent = time.monotonic(), time.process_time()
    letters = [written(number) for number in range(1, count + 1)]
    seconds, processor = time.monotonic() - begun, time.process_time() - spent
    pages = sum(letter.pages for letter in letters)
    begun = time.monotonic()
    whole, _ = join_letters([io.BytesIO(letter.pdf) for letter in letters])
    merging = time.monotonic() - begun
    print(f"{count} letters, {pages} pages: {pages / seconds:.0f} pages/s ({pages / processor:.0f} per CPU second)")
    print(f"merged in {merging:.2f} s, {len(whole) / 1e6:.1f} MB")
    return 0 if pages / processor >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
