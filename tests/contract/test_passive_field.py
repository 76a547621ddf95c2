"""A new field of an order that nothing decides by is one line in one file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import paymatch

SOURCE = Path(paymatch.__file__).parent
DECLARED = Path("formats/contract/orders.py")
BEFORE = "    paymentMethod: Annotated["


def tell(url: str, folder: Path, line: str) -> dict[str, Any]:
    """The story of the field `campaign` in a copy of the package that declares it by this line."""
    copy = folder / "paymatch"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    text = (copy / DECLARED).read_text()
    assert text.count(BEFORE) == 1
    (copy / DECLARED).write_text(text.replace(BEFORE, f"    {line}\n{BEFORE}"))
    path = os.pathsep.join((str(folder), str(SOURCE.parents[1])))
    told = subprocess.run(
        [sys.executable, "-m", "tests.contract.passive_field_story", url, "campaign"],
        env=os.environ | {"PYTHONPATH": path}, cwd=SOURCE.parents[1], capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    assert found.pop("package") == str(copy)
    return found


@pytest.mark.parametrize(("mark", "left"), [("", []), (", impersonal=True", ["autumn"])])
def test_one_line_is_sent_stored_answered_documented_and_erased(
    migrated_url: str, tmp_path: Path, mark: str, left: list[str]
) -> None:
    found = tell(migrated_url, tmp_path, f'campaign: Annotated[str, words("Campaign of the order.", 255{mark})]')
    assert found == {
        "answered": "spring",
        "read": "spring",
        "stored": ["spring"],
        "no text": [400, "Parameter campaign is not valid"],
        "answered again": "autumn",
        "stored again": ["autumn"],
        "documented": {"type": "string", "description": "Campaign of the order."},
        "read erased": left[0] if left else None,
        "stored erased": left,
    }
