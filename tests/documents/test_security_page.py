"""Every test that the page on security names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`((?:lab|tests)/[\w/]+\.py)(?:::(\w+))?`")


def test_each_named_test_exists() -> None:
    named = _NAMED.findall((ROOT / "docs" / "security.md").read_text("utf-8"))
    assert len(named) > 100
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file()
        or (name and re.search(rf"def {name}\(", (ROOT / path).read_text("utf-8")) is None)
    ]
    assert missing == []
