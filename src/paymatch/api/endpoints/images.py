"""Endpoint 13: images for payment."""

from __future__ import annotations

import base64
from typing import Final

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.fields import invalid
from paymatch.api.router import endpoint
from paymatch.usecases.orders import orders
from paymatch.usecases.orders.images import ImageFormat, ImageType, image

_RAW: Final = (ImageFormat.SVG, ImageFormat.PDF, ImageFormat.PNG)
"""Which format is answered if `Accept` names several."""


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
    accepted = call.headers.get("accept", "").lower()
    wanted = next((form for form in _RAW if form in accepted), None)
    picture = image(call.tx, call.shop, call.number, kind, wanted or ImageFormat.PNG)
    if wanted is not None:
        return Answer(picture, wanted)
    body = {"type": kind, "format": "png", "data": base64.b64encode(picture).decode()}
    return Answer(msgspec.json.encode(body))
