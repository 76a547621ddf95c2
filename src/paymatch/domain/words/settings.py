"""Why a setting is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "setting-refused": "{setting}: {why}",
    "setting-switch": "on or off is expected",
    "setting-one-of": "one of {values} is expected",
    "setting-ports": "up to 10 ports from 1 to 65535 are expected, such as 8443,9443",
    "setting-seconds": "0 to {most} seconds are expected",
    "setting-access-code": (
        "8 to 255 ASCII letters, digits and signs without spaces are expected: it is sent as a header"
    ),
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
    "url-no-port": "URL not valid: port {port}",
}
