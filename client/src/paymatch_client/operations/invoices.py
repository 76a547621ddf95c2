"""Invoices and images, blocking. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from typing import Literal

from paymatch_client.connections import Section
from paymatch_client.models.enumerations import ImageType
from paymatch_client.requests import File, Request, Upload, quoted


class Invoices(Section):
    """Invoice files in, QR codes and payment slips out."""

    def read_image(
        self,
        order_number: str,
        *,
        type: ImageType | None = None,
        media_type: Literal["image/png", "image/svg+xml", "application/pdf"] = "image/png",
    ) -> bytes:
        """Read an image for payment.

        QR code or payment slip of what is still open and of the fees of reminders that were sent. `Accept:
        image/png`, `image/svg+xml` or `application/pdf` asks for the image itself.

        `order_number`: Order number.
        `type`: What is wanted.
        `media_type`: What the image is.
        """
        return self._connection.fetch(
            Request("GET", f"image/{quoted(order_number)}", query={"type": type}, accept=media_type, repeatable=True)
        ).content

    def upload_invoice(self, order_number: str, invoice_number: str, file: bytes, file_name: str = "file") -> None:
        """Upload an invoice.

        PDF, PNG, JPEG or XRechnung (XML in UBL or CII). A repeated upload for the same invoice number is
        silently ignored. The terms of an XRechnung, and of a ZUGFeRD or Factur-X invoice in a PDF, fill what
        the order leaves empty.

        `order_number`: Order number.
        `invoice_number`: Invoice number.
        `file`: The content of the file.
        `file_name`: Its name.
        """
        self._connection.tell(
            Request(
                "POST",
                f"order/{quoted(order_number)}/invoice/{quoted(invoice_number)}",
                upload=Upload(file, file_name),
                repeatable=True,
            )
        )

    def read_invoice(self, order_number: str, invoice_number: str) -> File:
        """Download an invoice.

        The stored file as an attachment.

        `order_number`: Order number.
        `invoice_number`: Invoice number.
        """
        return self._connection.fetch(
            Request(
                "GET", f"order/{quoted(order_number)}/invoice/{quoted(invoice_number)}", accept="*/*", repeatable=True
            )
        )
