"""E-mail addresses that a mail can be sent to."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MAX_LENGTH: Final = 254
"""RFC 5321, 4.5.3.1: the limit of a path."""

_LOCAL: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def mail_problem(text: str | None) -> str:
    """Why no mail can be sent to a customerEmail, as the addition `mailProblem` says it; "" if it can, or is absent."""
    return "customerEmail is not an address that mail can be sent to" if text and mail_address(text) is None else ""


def mail_address(text: str) -> str | None:
    """The address with its domain in ASCII (`eva@müller.example` has an IDNA one), or None if it is invalid.

    One plain address: no name, no list, no comment, no quoted local part, a domain of at least two labels.
    """
    local, at, domain = text.strip().rpartition("@")
    if not at or len(local) > 64 or not _LOCAL.fullmatch(local):
        return None
    ascii_domain = _ascii_domain(domain)
    if ascii_domain is None:
        return None
    found = f"{local}@{ascii_domain}"
    return found if len(found) <= MAX_LENGTH else None


@lru_cache(maxsize=4096)
def _ascii_domain(domain: str) -> str | None:
    """The domain as DNS knows it, or None if it is not one; a shop's customers share a few domains."""
    try:
        found = domain.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    labels = found.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return found
