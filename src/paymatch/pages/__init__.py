"""Pages beside the API: the start page, health, metrics, the API reference."""

from paymatch.pages.app import Pages

__all__ = ["Pages"]
