"""Endpoint 13: images for payment."""

from __future__ import annotations

import base64

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.fields import invalid
from paymatch.api.router import endpoint
from paymatch.usecases.orders import orders
from paymatch.usecases.orders.images import ImageType, image


@endpoint("GET", "image/{orderNumber}")
def read_image(call: ApiCall) -> Answer:
    """Endpoint 13: QR code or payment slip with the open amount; `Accept` may ask for the raw image (D-9).

    Checks: order, type, something is payable, such an image can be made.
    """
    try:
        kind = ImageType(call.query.get("type") or ImageType.QRCODE)
    except ValueError:
        orders.require(call.tx, call.shop, call.number)  # an unknown order answers first (D-21)
        raise invalid("type", allowed=ImageType) from None
    wanted = call.headers.get("accept", "").lower()
    if "image/svg+xml" in wanted:
        return Answer(image(call.tx, call.shop, call.number, kind, svg=True), "image/svg+xml")
    picture = image(call.tx, call.shop, call.number, kind, svg=False)
    if "image/png" in wanted:
        return Answer(picture, "image/png")
    body = {"type": kind, "format": "png", "data": base64.b64encode(picture).decode()}
    return Answer(msgspec.json.encode(body))
