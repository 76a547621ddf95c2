"""Numbers with check digits, built by their published rules: IBAN, RF, Swiss QR reference, parcel numbers."""

from __future__ import annotations

from random import Random
from typing import Final

_BANKS: Final[dict[str, str]] = {
    "DE": "37040044 10010010 50010517 12030000 70150000 20041133 43060967 76026000 50050201 25050180 10011001",
    "AT": "20111 32000 12000 60000 14000 20815 34000",
    "CH": "00762 09000 00230 80808 00700 08390",
    "NL": "INGB RABO ABNA SNSB TRIO BUNQ KNAB",
    "FR": "30004 30002 20041 10278 15589 18206",
    "PL": "10201026 11402004 10501025 10901014 24900005 12401037",
}
_LENGTHS: Final = {"DE": 10, "AT": 11, "CH": 12, "NL": 10, "PL": 16}
_QRR_TABLE: Final = (0, 9, 4, 6, 8, 2, 7, 1, 3, 5)


def _mod97(text: str) -> int:
    return int("".join(str(int(c, 36)) for c in text)) % 97


def _digits(rng: Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def iban(rng: Random, country: str) -> str:
    """A valid IBAN (ISO 13616) of a plausible bank of the country."""
    bank = rng.choice(_BANKS[country].split())
    if country == "FR":
        branch, account = _digits(rng, 5), _digits(rng, 11)
        key = 97 - (89 * int(bank) + 15 * int(branch) + 3 * int(account)) % 97
        body = f"{bank}{branch}{account}{key:02d}"
    else:
        body = bank + _digits(rng, _LENGTHS[country])
    return f"{country}{98 - _mod97(body + country + '00'):02d}{body}"


def creditor_reference(body: str) -> str:
    """ISO 11649: `RF`, two check digits, `body` (letters and digits, up to 21)."""
    return f"RF{98 - _mod97(body + 'RF00'):02d}{body}"


def qr_reference(body: str) -> str:
    """Swiss QR reference: 26 digits and the recursive modulo 10 check digit."""
    carry = 0
    text = body.zfill(26)
    for c in text:
        carry = _QRR_TABLE[(carry + int(c)) % 10]
    return f"{text}{(10 - carry) % 10}"


def postal_code_s10(rng: Random, country: str) -> str:
    """UPU S10: two letters, eight digits, check digit, country, as on registered letters and small parcels."""
    serial = _digits(rng, 8)
    rest = 11 - sum(int(c) * w for c, w in zip(serial, (8, 6, 4, 2, 3, 5, 9, 7), strict=True)) % 11
    check = {10: 0, 11: 5}.get(rest, rest)
    return f"{rng.choice(['RR', 'CP', 'LX', 'RB'])}{serial}{check}{country}"


def sscc(rng: Random) -> str:
    """A parcel's 20 digit number: `00`, German company prefix `340434`, GS1 check digit at the end."""
    body = f"340434{_digits(rng, 11)}"
    total = sum(int(c) * (3 if i % 2 == 0 else 1) for i, c in enumerate(body))
    return f"00{body}{(10 - total % 10) % 10}"


def tracking(rng: Random, style: str, country: str) -> str:
    """`style`: sscc (20 digits), long (14 digits), short (11 digits) or s10."""
    if style == "sscc":
        return sscc(rng)
    if style == "s10":
        return postal_code_s10(rng, country if country in ("DE", "AT", "CH", "NL", "FR", "PL") else "DE")
    return f"{rng.randint(1, 9)}{_digits(rng, 13 if style == 'long' else 10)}"


def marketplace_number(rng: Random) -> str:
    """`302-1234567-1234567`."""
    return f"{rng.choice(['302', '303', '304', '305', '306', '028', '171'])}-{_digits(rng, 7)}-{_digits(rng, 7)}"
