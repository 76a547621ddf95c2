"""Bodies that come packed: `Content-Encoding: gzip`, never unpacked beyond what the endpoint takes (D-39)."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from typing import Final

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.web import Body, map_file

UNPACKED_LIMIT: Final = 64 * 1024 * 1024
"""Bytes that a packed body may have once it is unpacked, however few were sent."""
_RATIO: Final = 100
"""Beyond that it may be so many times what was sent: orders shrink to a tenth or a thirtieth, zeros to a thousandth."""
_GZIP: Final = 31
"""zlib's word for the gzip format (RFC 1952), with the largest window."""
_PART: Final = 256 * 1024
"""Bytes that are unpacked at a time; what is longer waits in a file."""


def unpack(body: Body, encoding: str, limit: int, too_large: Message) -> Body:
    """The body as it was before its Content-Encoding.

    Refused for another encoding than gzip, for what is not gzip, and, with the text `too_large`, as soon as it is
    longer than `limit`: a megabyte of zeros weighs a kilobyte.
    """
    name = encoding.strip().lower()
    if not body or name in ("", "identity"):
        return body
    if name not in ("gzip", "x-gzip"):
        raise Refused(Message("api-encoding", name=encoding.strip()[:40]), allowed=("gzip",))
    most = max(UNPACKED_LIMIT, _RATIO * len(body))
    if limit > most:
        limit, too_large = most, Message("api-body-too-large", most=most // 1024 // 1024)
    try:
        return _gather(_parts(body), limit, too_large)
    except zlib.error:
        raise Refused(Message("api-gzip")) from None


def _gather(parts: Iterator[bytes], limit: int, too_large: Message) -> Body:
    """A short body as bytes, a long one as the view of a file without a name."""
    first, part = next(parts, b""), next(parts, b"")
    size = len(first) + len(part)
    if not part and size <= limit:
        return first
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(first)
        while size <= limit:
            file.write(part)
            part = next(parts, b"")
            if not part:
                return map_file(file, size)
            size += len(part)
    raise Refused(too_large)


def _parts(body: Body) -> Iterator[bytes]:
    """What is unpacked, part by part; zlib.error if that is not one whole gzip."""
    member = zlib.decompressobj(_GZIP)
    packed: Body = b""
    for start in range(0, len(body), _PART):
        packed = body[start : start + _PART]
        while packed and not member.eof:
            if part := member.decompress(packed, _PART):
                yield part
            packed = member.unconsumed_tail
        if packed or member.unused_data:
            break
    if not member.eof or member.unused_data or packed:
        raise zlib.error("not one whole gzip")
