"""Images for payment (D-9)."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Final

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import BINARY, json_of
from paymatch.api.refusals import ORDER_UNKNOWN, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import INVOICES
from paymatch.domain.words.message import as_text
from paymatch.formats.contract.json_schema import ref
from paymatch.usecases.orders.images import ImageFormat, ImageType, image

_RAW: Final = (ImageFormat.SVG, ImageFormat.PDF, ImageFormat.PNG)
"""Which format is answered if `Accept` names several."""


@dataclass(frozen=True, slots=True)
class ImageQuery:
    """Which image."""

    type: ImageType = parameters.one_of(ImageType, "What is wanted.", ImageType.QRCODE, or_empty=True)


@endpoint(
    "GET",
    "image/{orderNumber}",
    INVOICES,
    "Read an image for payment",
    "QR code or payment slip of what is still open and of the fees of reminders that were sent. `Accept: image/png`,"
    " `image/svg+xml` or `application/pdf` asks for the image itself.",
    answer={
        **json_of(ref("Image")),
        "image/png": {"schema": BINARY},
        "image/svg+xml": {"schema": {"type": "string"}},
        "application/pdf": {"schema": BINARY},
    },
    refusals=(
        ORDER_UNKNOWN,
        ours(400, "Nothing payable (status <status>)", "Nothing is open, so there is nothing to show."),
        ours(400, "Image not possible: <reason>", "No such image can be made for this order."),
    ),
)
def read_image(call: ApiCall, query: ImageQuery) -> ApiAnswer:
    """QR code or payment slip of what the customer is to pay; `Accept` may ask for the raw image (D-9).

    Checks: order, type, something is payable, such an image can be made.
    """
    accepted = call.headers.get("accept", "").lower()
    wanted = next((form for form in _RAW if form in accepted), None)
    picture = image(call.tx, call.number, query.type, wanted or ImageFormat.PNG)
    if wanted is not None:
        return ApiAnswer(picture, wanted)
    body = {"type": query.type, "format": "png", "data": base64.b64encode(picture).decode()}
    return ApiAnswer(msgspec.json.encode(body, enc_hook=as_text))
