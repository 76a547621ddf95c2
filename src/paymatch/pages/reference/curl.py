"""A call as a command of curl. `$BASE` and `$KEY` are the service's address and the reader's key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

_EXAMPLES: Final = {
    "orderNumber": "2026/1001",
    "invoiceNumber": "RE-2026-1001",
    "refundId": "rf_1kjpy44e0py259mp8x6",
    "month": "2026-02",
}
"""Values of the path that are read in other examples, too."""
_BARE: Final = frozenset({"application/json", "text/csv", "text/plain"})


def curl(method: str, path: str, operation: Mapping[str, Any]) -> str:
    """The command, a line for each part of it."""
    query = []
    for each in operation["parameters"]:
        value = _value(each)
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", quote(value, safe=""))
        elif each.get("required"):
            query.append(f"{each['name']}={quote(value, safe='')}")
    address = f"$BASE{path}" + (f"?{'&'.join(query)}" if query else "")
    return " \\\n  ".join([f'curl "{address}"', '-H "X-Service-API-Key: $KEY"', *_body_words(method, operation)])


def _value(parameter: Mapping[str, Any]) -> str:
    schema, name = parameter["schema"], parameter["name"]
    known = schema.get("enum") or schema.get("examples") or [_EXAMPLES.get(name, f"<{name}>")]
    return str(known[0])


def _body_words(method: str, operation: Mapping[str, Any]) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {})
    found = [] if method == "GET" or content else [f"-X {method}"]
    for kind, each in content.items():
        if kind == "application/json":
            text = json.dumps(each.get("example", {}), indent=2, ensure_ascii=False).replace("'", "'\\''")
            found += ['-H "Content-Type: application/json"', f"-d '{text}'"]
        else:
            found.append('-F "file=@<file>"')
    answered = operation["responses"]["200"].get("content", {})
    if answered and not _BARE & answered.keys():
        found.append("--output <file>")
    return found
