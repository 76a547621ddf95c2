"""The file part of a multipart/form-data body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import create_form_parser, parse_options_header

from paymatch.api.errors import ApiRefused
from paymatch.domain.words.message import Message


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """An uploaded file; its name is what the sender says, never a path of ours."""

    name: str
    content: bytes


_SHOWN: Final = 200


def file_part(content_type: str, body: bytes, field: str = "file") -> UploadedFile:
    """The part `field`; ApiRefused 400 `File missing` if the body has none, `File size 0` if it is empty.

    A part without a file name is a file if it says what it holds; else it is text, a field of a form (RFC 7578, 4.4).
    """
    found: list[UploadedFile] = []

    def on_field(part: object) -> None:
        media = getattr(part, "content_type", None) or "text/plain"
        if getattr(part, "field_name", None) == field.encode() and not media.startswith("text/plain") and not found:
            found.append(UploadedFile("", getattr(part, "value", None) or b""))

    def on_file(part: object) -> None:
        name = getattr(part, "field_name", None)
        if name == field.encode() and not found:
            stream = part.file_object  # type: ignore[attr-defined]
            stream.seek(0)
            file_name = (getattr(part, "file_name", None) or b"").decode("utf-8", "replace")
            found.append(UploadedFile(file_name, stream.read()))

    if not content_type.lower().startswith("multipart/form-data") or not body:
        raise ApiRefused(
            400,
            Message("invoice-file-missing"),
            parameter=field,
            expected=f"multipart/form-data with the part {field!r}",
        )
    headers = {"Content-Type": content_type.encode("latin-1", "replace")}
    try:
        # The body is already in memory: without this limit its parts would be written to disk and never cleaned up.
        parser = create_form_parser(headers, on_field, on_file, config={"MAX_MEMORY_FILE_SIZE": len(body) + 1})
        parser.write(_without_preamble(content_type, body))
        parser.finalize()
    except (FormParserError, ValueError) as error:
        broken = f"multipart/form-data that can be read: {error}"
        raise ApiRefused(400, Message("invoice-file-missing"), parameter=field, expected=broken[:_SHOWN]) from None
    if not found:
        raise ApiRefused(
            400, Message("invoice-file-missing"), parameter=field, expected=f"the part {field!r} with a file in it"
        )
    if not found[0].content:
        raise ApiRefused(400, Message("invoice-file-empty"), parameter=field)
    return found[0]


def _without_preamble(content_type: str, body: bytes) -> bytes:
    """The body from its first boundary on: the part before it is ignored (RFC 2046, 5.1.1)."""
    boundary = b"--" + parse_options_header(content_type)[1].get(b"boundary", b"")
    begin = body.find(b"\r\n" + boundary)
    return body if body.startswith(boundary) or begin < 0 else body[begin + 2 :]
