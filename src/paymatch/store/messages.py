"""Messages in text columns: the words as everybody reads them, and beside them the code and values they were made of.

A column without code and values holds what others have said, or was written by an older version: its words stay.
"""

from __future__ import annotations

import json

from paymatch.domain.words.message import Message, from_json, to_json


def coded(words: str) -> str:
    """What is kept beside the words: code and values as JSON; "" for words that are no message."""
    if not isinstance(words, Message):
        return ""
    return json.dumps(to_json(words), ensure_ascii=False).replace("\\u0000", "")


def recall(words: str, kept: str) -> str:
    """The message that was kept; the words alone if they are none, or if its code says something else today."""
    if not kept:
        return words
    found = json.loads(kept)
    return from_json(words, found["code"], found["values"])


def message_to_json(said: str) -> str:
    """The sentence as it is stored."""
    return json.dumps({"text": str(said), **to_json(said)}, ensure_ascii=False).replace("\\u0000", "")


def message_of(stored: str | None) -> str:
    """The sentence that was stored; "" for none. What erasing has changed is shown as it stands."""
    if stored is None:
        return ""
    found = json.loads(stored)
    return from_json(str(found["text"]), str(found.get("code", "")), found.get("values") or {})
