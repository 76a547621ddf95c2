"""The merchant API version 2: a plain application that knows no Django, an endpoint per handler."""

from paymatch.api.app import Api
from paymatch.api.call import ApiConfig
from paymatch.api.endpoints import (
    advices,
    callbacks,
    collection,
    events,
    exports,
    images,
    invoices,
    orders,
    postings,
    refunds,
    reports,
    sandbox,
    statements,
)

__all__ = [
    "Api",
    "ApiConfig",
    "advices",
    "callbacks",
    "collection",
    "events",
    "exports",
    "images",
    "invoices",
    "orders",
    "postings",
    "refunds",
    "reports",
    "sandbox",
    "statements",
]
