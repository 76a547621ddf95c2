"""The query of a call: its values by name, and which names an endpoint knows (D-39)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

_REPLACEMENT: Final = "\ufffd"


def parse_query(raw: str) -> dict[str, str]:
    """Name -> value of a percent-encoded query; different values of one name are joined by commas.

    NUL is never a valid value, and PostgreSQL refuses it: it becomes a replacement character.
    """
    if not raw:
        return {}
    text = raw.encode("latin-1", "replace").decode("utf-8", "replace")
    found: dict[str, dict[str, None]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, errors="replace"):
        if name or value:
            found.setdefault(name, {})[value.replace("\x00", _REPLACEMENT)] = None
    return {name: ",".join(values) for name, values in found.items()}


def check_names(query: Mapping[str, str], known: Collection[str]) -> None:
    """Refused with the names that exist if the query has another: a misspelt filter must not answer everything."""
    for name in query:
        if name not in known:
            raise Refused(
                Message("api-parameter-unknown", name=name[:100]), parameter=name[:100], allowed=sorted(known)
            )
