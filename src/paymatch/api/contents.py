"""Bodies and answers of an endpoint, declared once: how a body is read, and how both are described."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from paymatch.api.call import JSON
from paymatch.api.refusals import OF_FILES, OF_JSON, DocumentedRefusal
from paymatch.domain.words.message import Message
from paymatch.formats.contract.json_schema import Schema

if TYPE_CHECKING:
    from paymatch.api.call import ApiCall

Content = dict[str, dict[str, Any]]
"""Media type -> its schema, and an example if there is one."""

BODY_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of a JSON body; larger ones are refused with 400."""

BINARY: Final[Schema] = {"type": "string", "contentMediaType": "application/octet-stream"}
NOTHING: Final[Content] = {}


@dataclass(frozen=True, slots=True)
class Body:
    """The body of an endpoint. The handler gets the result of `read`."""

    read: Callable[[ApiCall], Any]
    content: Content
    refusals: tuple[DocumentedRefusal, ...]
    limit: int
    too_large: Message


def json_of(schema: Schema, example: Any = None) -> Content:
    """An answer in JSON."""
    return {JSON: {"schema": schema} | ({} if example is None else {"example": example})}


def json_body(
    read: Callable[[ApiCall], Any],
    schema: Schema,
    example: Any,
    *,
    limit: int = BODY_LIMIT,
    refusals: tuple[DocumentedRefusal, ...] = OF_JSON,
) -> Body:
    """A body in JSON of at most `limit` bytes."""
    return Body(read, json_of(schema, example), refusals, limit, _too_large(limit))


def file_body(
    read: Callable[[ApiCall], Any],
    limit: int,
    *,
    refusals: tuple[DocumentedRefusal, ...] = (),
    too_large: Message | None = None,
) -> Body:
    """A form with the part `file`, of at most `limit` bytes."""
    form = {"type": "object", "properties": {"file": BINARY}, "required": ["file"]}
    content = {"multipart/form-data": {"schema": form}}
    return Body(read, content, (*refusals, *OF_FILES), limit, too_large or _too_large(limit))


def _too_large(limit: int) -> Message:
    return Message("api-body-too-large", most=limit // 1024 // 1024)


TOO_LARGE_UNASKED: Final = _too_large(BODY_LIMIT)
"""Limit of an unexpected body."""
