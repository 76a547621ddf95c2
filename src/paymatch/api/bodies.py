"""Bodies that come packed: `Content-Encoding: gzip`, never unpacked beyond what the endpoint takes (D-39)."""

from __future__ import annotations

import zlib
from typing import Final

from paymatch.domain.refusal import Refused

UNPACKED_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of a packed body once it is unpacked, also where the endpoint takes more: they cost the sender nothing."""
_GZIP: Final = 31
"""zlib's word for the gzip format (RFC 1952), with the largest window."""


def unpacked(body: bytes, encoding: str, limit: int, too_large: str) -> bytes:
    """The body as it was before its Content-Encoding.

    Refused for another encoding than gzip, for what is no gzip, and, with the text `too_large`, as soon as it is longer
    than `limit`: a megabyte of zeros weighs a kilobyte.
    """
    name = encoding.strip().lower()
    if not body or name in ("", "identity"):
        return body
    if name not in ("gzip", "x-gzip"):
        raise Refused(f"Content-Encoding {encoding.strip()[:40]} not supported", allowed=("gzip",))
    if limit > UNPACKED_LIMIT:
        limit, too_large = UNPACKED_LIMIT, f"Body too large (max {UNPACKED_LIMIT // 1024 // 1024} MB)"
    member = zlib.decompressobj(_GZIP)
    try:
        found = member.decompress(body, limit + 1)
    except zlib.error:
        raise Refused("Body is not valid gzip") from None
    if len(found) > limit:
        raise Refused(too_large)
    if not member.eof or member.unused_data:
        raise Refused("Body is not valid gzip")
    return found
