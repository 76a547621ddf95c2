"""The first person of an installation: a link that the service prints at its start while no one can sign in.

Who reads the output of the service could as well run its commands, so the link gives no power that its reader lacks.
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from paymatch.store.sealing import derive

LINK_LASTS: Final = timedelta(hours=1)


def first_link(secret: str, base_url: str, now: datetime) -> str:
    """The link to the page on which the first person makes their account, until LINK_LASTS after `now` (aware).

    `secret`: the installation's secret key. Nothing is stored: the link ends with the first account (D-140).
    """
    ends = int((now + LINK_LASTS).timestamp())
    return f"{base_url}/login/first/{ends}-{_proof(secret, ends)}"


def is_first_token(secret: str, token: str, now: datetime) -> bool:
    """Whether the service has made this token of a first link, and it has not expired; never an error."""
    ends, _, proof = token.partition("-")
    if not (ends.isascii() and ends.isdecimal() and len(ends) < 12 and proof.isascii()):
        return False
    return hmac.compare_digest(proof, _proof(secret, int(ends))) and now.timestamp() < int(ends)


def _proof(secret: str, ends: int) -> str:
    return hmac.new(derive(secret, "first person"), str(ends).encode(), sha256).hexdigest()
