"""Mails that bring advices, as the mailbox's host hands them over."""

from __future__ import annotations

from email.message import EmailMessage

from paymatch.domain.shops.shop import Shop

HOST = "mx.shop.example"
CARRIER_ADDRESS = "avis@kurier.example"
PROVED = f"{HOST}; dkim=pass header.d=kurier.example; spf=pass smtp.mailfrom=avis@kurier.example"


def mail(
    shop: Shop, table: str, *results: str, sender: str = f"Kurier Blitz <{CARRIER_ADDRESS}>", name: str = "avis.csv"
) -> bytes:
    """A mail with one attachment; `results` are its Authentication-Results, the topmost first."""
    made = EmailMessage()
    for each in results or (PROVED,):
        made["Authentication-Results"] = each
    made["From"] = sender
    made["To"] = f"advices+{shop.id}@shop.example"
    made["Subject"] = "Avis"
    made.set_content("See the attachment.")
    made.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
    made.add_attachment(table.encode(), maintype="text", subtype="csv", filename=name)
    return made.as_bytes()
