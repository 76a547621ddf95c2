"""docs/endpoints.md: the endpoints with what they check in which sequence, and the error texts that never vary."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Final

import paymatch.api.app  # noqa: F401  registers the endpoints
from paymatch.api import errors, router
from paymatch.formats import invoice_file

_HEAD: Final = """# Endpoints

Written by `make docs` from the code. Paths are below `/api/v2`. Before what stands here each call is checked for its
key, an active shop, an active API and, where it writes, leave to write (D-21); the first check that fails answers.
"""


def endpoints() -> str:
    """The page."""
    lines = [_HEAD, "| method | path | writes | what it does and checks |", "|---|---|---|---|"]
    for route in sorted(router.ROUTES, key=lambda route: (route.template, route.method)):
        text = " ".join((inspect.getdoc(route.handler) or "").split()).replace("|", "\\|")
        lines.append(f"| {route.method} | `/{route.template}` | {'yes' if route.writes else ''} | {text} |")
    lines += ["", "## Texts of errors that never vary", ""]
    lines += [f"- `{text}`" for text in sorted({*_texts(errors), *_texts(invoice_file)})]
    return "\n".join(lines) + "\n"


def _texts(module: ModuleType) -> list[str]:
    return [
        value for name, value in vars(module).items() if name.isupper() and name[0] != "_" and isinstance(value, str)
    ]
