"""Settings of a new shop, as texts, so that a page can say which ones were changed since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NEW_SHOP: Final[Mapping[str, str]] = {
    "accent": "", "access": "read-write", "accounts-locked": "off", "api": "on", "bank-charge-limit": "30.00",
    "bank-charge-percent": "5", "callback-grace": "10", "callback-ports": "", "callback-success": "200",
    "callback-url": "", "callbacks": "off", "cash-discount": "0", "caution": "normal", "contact-email": "",
    "contact-phone": "", "datev-client": "", "datev-consultant": "", "datev-links": "", "datev-rates": "",
    "datev-tax-keys": "", "export-every": "off", "export-to": "folder", "export-wait": "5", "exports": "",
    "fee-tolerance": "0.00", "fiscal-year-month": "1", "invoice-letters": "cover", "invoice-quota": "default",
    "imprint-url": "",
    "invoice-terms": "on", "keep-deleted-days": "30", "keep-drop-days": "forever", "keep-invoice-days": "forever",
    "keep-mail-days": "365", "keep-order-years": "10", "keep-payer-days": "730", "lapse-after": "off",
    "learning": "on", "ledger-bank": "",
    "ledger-chart": "SKR04", "ledger-clearing": "", "ledger-debtors": "", "ledger-fees": "", "ledger-revenue": "",
    "ledger-credits": "",
    "ledger-currency": "",
    "ledger-income": "",
    "ledger-losses": "",
    "ledger-reminder-fees": "",
    "ledger-set-paid": "",
    "ledger-transit": "",
    "legal-footer": "", "letter-alert-days": "3", "letter-colour": "off", "letter-duplex": "off", "letter-paper": "",
    "letter-print-hour": "off", "letters": "off", "letters-by": "printer", "mail-from": "", "mail-name": "",
    "ordersync-guard": "off", "payment-information": "off", "payment-thanks": "off", "refund-day-limit": "5000.00",
    "privacy-url": "",
    "refund-deadline": "14", "refund-four-eyes": "10000.00", "refund-limit": "500.00", "refund-requests": "on",
    "refund-runs": "on", "reminder-minimum": "1.00", "reminders": "off", "reply-to": "", "request-log": "bodies",
    "second-factor": "off", "statements-api": "off", "status": "active", "tolerance": "0.00", "transfer-characters": "",
    "instant-refused": "ask", "large-online-seller": "off", "payee-check": "off",
    "transfer-speed": "normal", "transfer-version": "09", "website": "",
    "use-credit": "off",
}  # fmt: skip
"""Setting -> text; without those that belong to the shop from its first day: name, address, language, time zone."""
