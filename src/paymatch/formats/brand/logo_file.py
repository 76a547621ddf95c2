"""A shop's logo as a file: PNG or JPEG by content, re-encoded, so nothing of the file itself is passed on."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any, BinaryIO, Final

from PIL import Image, ImageOps

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message, to_json

MAX_BYTES: Final = 2_000_000
_MAX_PIXELS: Final = 25_000_000
_FITS_IN: Final = (640, 240)
"""Pixels: twice what a page or mail shows, as screens with a high density need."""


class LogoRefused(Refused):
    """The file is not taken as a logo; the reason in words."""

    def __init__(self, message: Message) -> None:
        super().__init__(message, parameter="logo")


def check_size(content: bytes) -> None:
    """LogoRefused if the file is empty or larger than MAX_BYTES."""
    if not content:
        raise LogoRefused(Message("logo-empty"))
    if len(content) > MAX_BYTES:
        raise LogoRefused(Message("logo-large", megabytes=MAX_BYTES // 1_000_000))


def drawn_anew(files: list[BinaryIO], _tell: object) -> dict[str, Any]:
    """The picture as PNG (Base64) with its size, or `refused` with the reason.

    For a process of its own, as the file may be hostile. Colours and transparency stay; profiles, comments, places
    and everything else that a camera or a program has put into the file do not.
    """
    try:
        with Image.open(files[0], formats=("PNG", "JPEG")) as image:
            if image.width * image.height > _MAX_PIXELS:
                too_large = Message("logo-pixels", megapixels=_MAX_PIXELS // 1_000_000)
                return {"refused": to_json(too_large)}
            turned = ImageOps.exif_transpose(image)
            plain = turned.convert("RGBA" if turned.has_transparency_data else "RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return {"refused": to_json(Message("logo-kind"))}
    plain.thumbnail(_FITS_IN, Image.Resampling.LANCZOS)
    bare = Image.frombytes(plain.mode, plain.size, plain.tobytes())
    written = BytesIO()
    bare.save(written, "PNG", optimize=True)
    return {"png": b64encode(written.getvalue()).decode(), "width": bare.width, "height": bare.height}
