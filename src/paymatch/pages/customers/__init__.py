"""An order's own page, which its customer opens by a link and without signing in (D-51)."""

from paymatch.pages.customers.app import CustomerPages

__all__ = ["CustomerPages"]
