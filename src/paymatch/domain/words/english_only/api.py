"""Sentences of the API only, in the English of its contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "invalid-json": "Invalid JSON, comments not allowed in JSON body",
    "invalid-json-request-json-object-expected": "Invalid request: a JSON object is expected",
    "order-parameter-ordernumbers-not-valid": "Parameter orderNumbers is not valid",
    "sandbox-either-advance-set-expected": "Either advance or set is expected",
    "sandbox-only-shops-have-clock-bank": "Only sandbox shops have a clock and a bank of their own",
    "api-header-missing": "Authentication header not present",
    "api-key-unknown": "Invalid authentication header",
    "api-placeholder": "Replace the placeholder in the authentication header with your API key from the merchant area",
    "api-shop-not-active": "Shop not active",
    "api-api-not-active": "API not active, contact support",
    "api-read-only": "Update not allowed for non-API Shop",
    "api-scope-missing": "API key lacks the scope {scope}",
    "api-statements-off": "Statements by API are off for this shop",
    "api-database-away": "The database does not answer, please retry",
    "api-files-away": "The storage of files takes nothing at the moment, please retry",
    "api-not-found": "Not found",
    "api-method-not-allowed": "Method not allowed",
    "api-parameter-unknown": "Unknown parameter {name}",
    "api-date": "Invalid date: {text}, format should be {form}",
    "api-encoding": "Content-Encoding {name} not supported",
    "api-body-too-large": "Body too large (max {most} MB)",
    "api-gzip": "Body is not valid gzip",
    "api-https-needed": "HTTPS must be used",
}
