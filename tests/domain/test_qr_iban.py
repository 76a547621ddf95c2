"""Swiss QR-IBANs are distinguished from IBANs by the number of their institute."""

from __future__ import annotations

import pytest

from paymatch.domain.bank_accounts import is_qr_iban


@pytest.mark.parametrize(
    ("account", "is_so"),
    [
        ("CH44 3199 9123 0008 8901 2", True), ("CH5530000000000000000", True), ("LI2130000000000000000", True),
        ("CH9300762011623852957", False), ("CH5532000000000000000", False), ("DE89370400440532013000", False),
        ("", False),
    ],
)  # fmt: skip
def test_qr_ibans(account: str, is_so: bool) -> None:
    assert is_qr_iban(account) is is_so
