"""A field that is declared is decoded, checked, stored, described and erased without another line."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec
import pytest

from paymatch.formats.contract.components import answer, request
from paymatch.formats.contract.declaration import body_of, check_forms, check_required, words
from paymatch.formats.contract.erasure import erase_person
from paymatch.formats.contract.orders import Order
from paymatch.formats.contract.plain import check_plain, plain_body_of
from tests.formats.contract.test_orders import PLAIN


class _OrderWithGift(Order):
    """An order with one field more."""

    giftNote: Annotated[str, words("What the gift's card says.", 10)]  # noqa: N815


@pytest.mark.parametrize("way", ["plain", "checked"])
def test_a_new_field_is_one_line(way: str) -> None:
    sent = json.dumps(PLAIN | {"giftNote": "Happy birthday" if way == "checked" else "For Erika"}).encode()
    kept = "Happy birt" if way == "checked" else "For Erika"
    if way == "plain":
        found = check_plain(_OrderWithGift, msgspec.json.decode(sent, type=plain_body_of(_OrderWithGift)))
        assert found is not None
        values, document = found
    else:
        body = msgspec.json.decode(sent, type=body_of(_OrderWithGift))
        check_required(_OrderWithGift, body)
        values, document = check_forms(_OrderWithGift, body), msgspec.json.encode(body)
    assert values["giftNote"] == kept
    stored: dict[str, Any] = json.loads(document)
    assert stored["giftNote"] == kept
    for schema in (request(_OrderWithGift), answer(_OrderWithGift)):
        assert schema["properties"]["giftNote"] == {"type": "string", "description": "What the gift's card says."}
    assert "giftNote" not in erase_person(_OrderWithGift, stored)
    assert erase_person(_OrderWithGift, stored)["number"] == "A-1"
