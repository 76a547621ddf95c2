"""Messages about refused settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "setting-refused": "{setting}: {why}",
    "plan-time": "a time of day such as 09:00 is expected",
    "plan-whole-number": "a whole number from {low} to {high} is expected",
    "plan-order-of-times": "opens must be before closes",
    "plan-too-many-levels": "at most {most} levels",
    "plan-levels-grow": "days after the due date must grow from level to level",
    "plan-no-level": "levels: {level} is not a level; 7, 21:2.50 or +14:5.00 is expected",
    "plan-term-is-credit": "Payment of consumers later than {free} days after delivery is a credit. Is it intended?",
    "plan-level-days": "levels: {level}: 1 to {most} days are expected",
    "plan-level-fee": "levels: {level}: the fee is at most {most}",
    "text-length": "1 to {most} characters are expected",
    "text-control-characters": "control characters cannot be sent",
    "text-no-placeholder": "there is no placeholder {name}; there are {names}",
    "text-no-filter": "there is no filter {name} here; there are {names}",
    "text-syntax": "line {line}: {message}",
    "text-too-deep": "it is nested too deeply",
    "text-unwritable": "it contains a number or a character that cannot be written",
    "setting-switch": "on or off is expected",
    "setting-one-of": "one of {values} is expected",
    "setting-ports": "up to 10 ports from 1 to 65535 are expected, such as 8443,9443",
    "setting-seconds": "0 to {most} seconds are expected",
    "setting-access-code": (
        "8 to 255 ASCII letters, digits and signs without spaces are expected: it is sent as a header"
    ),
    "setting-hour-or-off": "an hour from 0 to 23 is expected, or off",
    "setting-ledger-account": "an account of 4 to 9 digits is expected, such as 1370, or nothing for the usual one",
    "setting-bank-accounts": (
        "an account is expected, such as 1800, or several by IBAN: 1800,DE89370400440532013000:1810"
    ),
    "setting-fee-accounts": "an account is expected, such as 6855, or several by kind: 6855,CASH_DISCOUNT:4736",
    "setting-set-paid-accounts": (
        "an account is expected, such as 1370, or several by kind: 1370,CASH:1600,VOUCHER:3270"
    ),
    "setting-tax-keys": "accounts with their keys are expected, such as 4410:3,4736:3",
    "setting-rates": "currencies with their rates are expected, such as CHF:0.9312,USD:1.0850",
    "setting-number": "a number from {least} to {most} is expected",
    "setting-month": "a month from 1 to 12 is expected",
    "setting-colour": "a colour of six hexadecimal digits is expected, such as #0f6b4f",
    "setting-amount": "an amount in the shop's currency is expected, such as 500.00",
    "setting-mail-address": "a plain e-mail address is expected, such as shop@example.com",
    "setting-display-name": "up to 100 printable characters are expected",
    "setting-days-or-forever": "a number of days from 1 to 9999 is expected, or forever",
    "setting-megabytes": "a number of megabytes from 1 to 9999999 is expected, or default",
    "setting-days-or-off": "a number of days from 1 to {most} is expected, or off",
    "setting-days": "a number of days from 1 to 999 is expected",
    "setting-percent": "a percentage from 0 to 20 is expected, such as 2 or 2.5",
    "setting-phone": "a telephone number is expected, such as +49 30 901820",
    "setting-website": "an address that begins with https:// is expected, such as https://shop.example",
    "setting-footer": "up to 12 lines and 1000 printable characters are expected",
    "setting-export-to": "folder, s3 or a plain e-mail address is expected",
    "setting-text": "1 to 255 characters are expected",
    "setting-time-zone": "Unknown time zone {zone}",
    "url-characters": 'URL not valid: too long, or with spaces, control characters or one of \\ " < > ^ ` { | }',
    "url-form": "URL not valid: write it as https://host/path",
    "url-scheme": "URL must begin with https://, not {scheme}://",
    "url-fragment": "URL must not have a fragment (#...)",
    "url-address": "address not allowed: {address}",
    "url-port": "port {port} not allowed; the shop's setting callback-ports may allow it",
    "url-password": "URL must not contain a user name or password",
    "url-host": "URL not valid: host {host}",
    "url-zone": "URL not valid: an address with a zone",
    "url-xn-form": "URL not valid: write the host {host} in its xn-- form",
    "url-four-numbers": "URL not valid: host {host}; write an address as four decimal numbers",
    "url-no-port": "URL not valid: port {port}",
}
