"""Files of the pages: read once, with an entity tag, and compressed for those who take it."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

MEDIA_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "woff2": "font/woff2",
}
_WORTH_PACKING: Final = 1400  # bytes; below that an answer is one packet anyway


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent."""

    media_type: str
    content: bytes
    packed: bytes  # gzip; empty where it is not worth it
    tag: str


@lru_cache(maxsize=64)
def static_file(name: str) -> StaticFile | None:
    """The file of this name; None if there is none, or if it is not of a kind that is served."""
    suffix = name.rpartition(".")[2]
    if suffix not in MEDIA_TYPES or "/" in name or "\\" in name or name.startswith("."):
        return None
    path = resources.files("paymatch.pages").joinpath("static", name)
    if suffix == "woff2":  # the typefaces of the merchant area, kept once
        family = "jetbrains-mono" if name.startswith("jetbrains-mono") else "inter"
        path = resources.files("paymatch").joinpath("area", "static", "vendor", family, name)
    if not path.is_file():
        return None
    return _pack(suffix, path.read_bytes())


def sent_as(suffix: str, text: str) -> StaticFile:
    """A text that was written here, as a file of this kind."""
    return _pack(suffix, text.encode())


def _pack(suffix: str, content: bytes) -> StaticFile:
    packed = gzip.compress(content, 6, mtime=0) if len(content) > _WORTH_PACKING and suffix != "woff2" else b""
    return StaticFile(MEDIA_TYPES[suffix], content, packed, f'"{hashlib.sha256(content).hexdigest()[:20]}"')
