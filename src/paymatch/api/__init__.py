"""The merchant API version 2: a plain WSGI application."""

from paymatch.api import callbacks, events, images, invoices, orders, postings, refunds, sandbox, statements
from paymatch.api.app import Api
from paymatch.api.call import ApiConfig

__all__ = [
    "Api",
    "ApiConfig",
    "callbacks",
    "events",
    "images",
    "invoices",
    "orders",
    "postings",
    "refunds",
    "sandbox",
    "statements",
]
