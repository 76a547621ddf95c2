"""The merchant API version 2: a plain WSGI application."""

from paymatch.api import images, invoices, orders, postings, refunds, statements
from paymatch.api.app import Api
from paymatch.api.call import ApiConfig

__all__ = ["Api", "ApiConfig", "images", "invoices", "orders", "postings", "refunds", "statements"]
