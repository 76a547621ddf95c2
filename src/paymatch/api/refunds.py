"""Endpoint 7: refunds."""

from __future__ import annotations

from paymatch.api import schema
from paymatch.api.call import Answer, ApiCall
from paymatch.api.router import endpoint
from paymatch.usecases import refunds


@endpoint("POST", "order/{orderNumber}/refund", writes=True, needs_order=True)
def create_refund(call: ApiCall) -> Answer:
    """Endpoint 7. Checks: order, body, required fields, forms, planned date in the future, unique reference."""
    refund = schema.check_refund(schema.decode_refund(call.body))
    return Answer(refunds.create(call.tx, call.shop, call.number, refund, call.clock).encode())
