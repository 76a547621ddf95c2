"""docs/callbacks.md: the receivers that it shows accept what we sign and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paymatch.clock import utc_now
from paymatch.domain.callbacks.signatures import secret_text, signature_headers

PAGE = (Path(__file__).parents[2] / "docs" / "callbacks.md").read_text("utf-8")
SECRET = secret_text(bytes(range(32)))
OTHER = secret_text(bytes(32))
BODY = '{"number":"Ä-1"}'.encode()


def block(language: str) -> str:
    """The first example in a language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def in_python(secret: str, headers: dict[str, str], body: bytes) -> bool:
    names: dict[str, Any] = {}
    exec(block("python"), names)  # noqa: S102  our own document
    return bool(names["is_authentic"](secret, headers, body))


def in_javascript(secret: str, headers: dict[str, str], body: bytes) -> bool:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    call = f"console.log(isAuthentic({secret!r}, {headers!r}, Buffer.from({body.hex()!r}, 'hex')))"
    script = block("javascript") + call
    ran = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return ran.stdout.strip() == "true"


def in_php(secret: str, headers: dict[str, str], body: bytes) -> bool:
    php = shutil.which("php")
    if php is None:
        pytest.skip("needs php")
    function = block("php").partition("$body = ")[0].removeprefix("<?php\n")
    given = ", ".join(repr(headers[name]) for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
    script = f"{function} var_export(isAuthentic({secret!r}, {given}, hex2bin({body.hex()!r})));"
    ran = subprocess.run([php, "-r", script], capture_output=True, text=True, check=True)
    return ran.stdout.strip() == "true"


@pytest.mark.parametrize("is_authentic", [in_python, in_javascript, in_php])
def test_receiver_of_the_document(is_authentic: Callable[[str, dict[str, str], bytes], bool]) -> None:
    headers = dict(signature_headers([OTHER, SECRET], "cb_1", utc_now(), BODY))
    old = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 301)}
    assert is_authentic(SECRET, headers, BODY)
    assert not is_authentic(SECRET, headers, BODY + b" ")
    assert not is_authentic(secret_text(b"x" * 32), headers, BODY)
    assert not is_authentic(SECRET, old, BODY)
