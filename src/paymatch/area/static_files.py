"""Styles, scripts and fonts of the area: the digest of all of them is in the path, so browsers keep them for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Final

from whitenoise import WhiteNoise

_ROOT: Final = Path(str(resources.files("paymatch.area"))) / "static"
_LIBRARY: Final = tuple(str(resources.files(f"allauth.{name}").joinpath("static")) for name in ("account", "mfa"))
"""Scripts of allauth's pages: passkeys and security keys."""

_FOR_EVER: Final = 365 * 24 * 3600

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@cache
def prefix() -> str:
    """The path of the static files, for example `/static/area/3f2a91c04b7e`; it changes with any of them."""
    digest = hashlib.sha256(metadata.version("django-allauth").encode())
    for path in sorted(_ROOT.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return f"/static/area/{digest.hexdigest()[:12]}"


def with_static_files(application: Wsgi) -> Wsgi:
    """The application with its static files in front."""
    files = WhiteNoise(application, root=_ROOT, prefix=prefix(), max_age=_FOR_EVER, add_headers_function=_headers)
    for folder in _LIBRARY:
        files.add_files(folder, prefix=prefix())
    served: Wsgi = files
    return served


def _headers(headers: Any, _path: str, _url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Cache-Control"] = f"public, max-age={_FOR_EVER}, immutable"
