"""What a page shows as printed or sent, compared with what is: what is different each time is compared by its form."""

from __future__ import annotations

import json
import re
from typing import Any


def differs(shown: str, printed: str) -> str | None:
    """How the answer that a page shows differs from the one that came; None if it is of its form."""
    try:
        example, found = json.loads(shown), json.loads(printed)
    except ValueError:
        return f"is no JSON: {printed!r}"
    return _differs(example, found, "")


def _differs(shown: Any, found: Any, where: str) -> str | None:
    if isinstance(shown, dict) and isinstance(found, dict):
        if shown.keys() != found.keys():
            return f"{where}: the page has {sorted(shown)}, the answer {sorted(found)}"
        return next((told for name in shown if (told := _differs(shown[name], found[name], f"{where}/{name}"))), None)
    if isinstance(shown, list) and isinstance(found, list):
        unlike = [each for each in shown if all(_differs(each, one, where) for one in found)]
        return f"{where}: none of {found} is like {unlike[0]}" if unlike else None
    same = type(shown) is type(found)
    if isinstance(shown, str | bool):
        same = same and _form(str(shown)) == _form(str(found))
    return None if same else f"{where}: the page has {shown!r}, the answer {found!r}"


def _form(text: str) -> str:
    """The text with every digit as 0: ids, days and moments have one form."""
    return re.sub(r"\d", "0", text)


def request_differs(shown: str, sent: str) -> str | None:
    """How a request that a page shows differs from one that was sent: its line, its headers, the fields of its body."""
    wanted, got = _parts(shown), _parts(sent.replace("\r\n", "\n"))
    if wanted[0] != got[0]:
        return f"the page has {wanted[0]}, {got[0]} was sent"
    if missing := wanted[1] - got[1]:
        return f"was not sent: {sorted(missing)}"
    named = set(re.findall(r'"(\w+)":', wanted[2]))
    missing = named - set(json.loads(got[2]))
    return f"is not in the body: {sorted(missing)}" if missing else None


def _parts(request: str) -> tuple[str, set[str], str]:
    head, _, body = request.partition("\n\n")
    line, *headers = head.splitlines()
    return line, {header.partition(":")[0].lower() for header in headers}, body


def difference(shown: str) -> tuple[str, str, str, str]:
    """Of a scenario that fails: its file, the field that differs, what was expected and what is."""
    found = re.search(r"FAILED (\S+):.*?\n +\S+ (\w+)\n +- expected +(\S+)\n +\+ is +(\S+)", shown, re.DOTALL)
    assert found is not None, shown
    return found[1], found[2], found[3], found[4]
