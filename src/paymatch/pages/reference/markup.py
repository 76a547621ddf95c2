"""Texts of the reference as HTML: `code` and links between its pages, all else as it is written."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from markupsafe import Markup, escape

_CODE: Final = re.compile(r"`([^`]+)`")
_LINK: Final = re.compile(r"\[([^\[\]]+)\]\((/docs/[\w./#-]+)\)")
_PLACE: Final = re.compile(r"\$(BASE|KEY)\b")


def prose(text: str) -> Markup:
    """A text with its code and its links."""
    shown = _CODE.sub(r"<code>\1</code>", str(escape(text)))
    return Markup(_LINK.sub(r'<a href="\2">\1</a>', shown))  # noqa: S704  # nosec B704: escaped above


def command(text: str) -> Markup:
    """A command, in which `$BASE` and `$KEY` can be filled in."""
    return Markup(_PLACE.sub(r'<span data-place="\1">$\1</span>', str(escape(text))))  # noqa: S704  # nosec B704: escaped above


def pretty(value: Any) -> str:
    """An example as JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
