"""Sentences in columns of text: JSON, in which the eraser finds a name as it is written."""

from __future__ import annotations

import json

from paymatch.domain.words.message import from_json, to_json


def message_to_json(said: str) -> str:
    """The sentence as it is stored."""
    return json.dumps({"text": str(said), **to_json(said)}, ensure_ascii=False).replace("\\u0000", "")


def message_of(stored: str | None) -> str:
    """The sentence that was stored; "" for none. What erasing has changed is shown as it stands."""
    if stored is None:
        return ""
    found = json.loads(stored)
    return from_json(str(found["text"]), str(found.get("code", "")), found.get("values") or {})
