"""Messages in text columns: the English words, and next to them their code and values.

A column without code and values has a foreign text, or was written by an older version: its words stay. Columns with
only the message are JSON that includes the words, so the eraser finds a name in its original spelling.
"""

from __future__ import annotations

import json

from paymatch.domain.words.message import Message, from_json, to_json


def coded(words: str) -> str:
    """The data stored with the words: code and values as JSON; "" for words that are not a message."""
    if not isinstance(words, Message):
        return ""
    return json.dumps(to_json(words), ensure_ascii=False).replace("\\u0000", "")


def recall(words: str, kept: str) -> str:
    """The stored message; only the words if they are not one, or if its code has other words today."""
    if not kept:
        return words
    found = json.loads(kept)
    return from_json(words, found["code"], found["values"])


def message_to_json(said: str) -> str:
    """The sentence as it is stored."""
    return json.dumps({"text": str(said), **to_json(said)}, ensure_ascii=False).replace("\\u0000", "")


def message_of(stored: str | None) -> str:
    """The stored sentence; "" for none. Text changed by an erasure is shown unchanged."""
    if stored is None:
        return ""
    found = json.loads(stored)
    return from_json(str(found["text"]), str(found.get("code", "")), found.get("values") or {})
