"""A picture that cannot be drawn is left out: the page, the mail and the letter around it are made without it."""

from __future__ import annotations

import pytest

from paymatch.domain.money import Currency, Money
from paymatch.formats.codes.choice import Code, CodeKind
from paymatch.formats.codes.swiss_qr import SwissAddress, SwissBill
from paymatch.usecases.orders.images import Drawing, PaymentCode, code_png, code_svg, drawn_svg, slip_sheet

SHOP = SwissAddress("Kramladen", "3000", "Bern", "CH", "Gasse", "1")
UNDRAWABLE = [
    PaymentCode(code=Code(CodeKind.EPC, "x" * 5_000)),
    PaymentCode(bill=SwissBill("CH4431999123000889012", SHOP, Money(1250, Currency("CHF")), "RF18539007547034")),
    PaymentCode(bill=SwissBill("CH0000000000000000000", SHOP, Money(-1, Currency("CHF")), "")),
]


@pytest.mark.parametrize("code", UNDRAWABLE)
def test_what_cannot_be_drawn_is_left_out(code: PaymentCode) -> None:
    assert (code_svg(code), code_png(code), slip_sheet(code, "de")) == (b"", b"", b"")
    assert drawn_svg(code, "de") == (Drawing(), b"")
