"""`paymatch demo`: a filled shop, from orders over HTTP to callbacks, with what was matched and why."""

from paymatch.cli.demo.command import register

__all__ = ["register"]
