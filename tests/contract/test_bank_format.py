"""A new bank format is its module and its row in FORMATS."""

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
from tests.contract import invented_reader
from tests.contract.invented_reader import is_invented, read_invented

SOURCE = Path(paymatch.__file__).parent
TABLE = Path("formats/read.py")
BEFORE = "FORMATS: Final = (\n"
NAMES = is_invented.__name__, read_invented.__name__
IMPORT = f"from paymatch.formats.invented.reader import {', '.join(NAMES)}\n"


def tell(url: str, folder: Path, row: str) -> dict[str, Any]:
    """The story of the format in a copy of the package that has its module, and this row for it."""
    copy = folder / "paymatch"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "formats/invented").mkdir()
    (copy / "formats/invented/__init__.py").touch()
    shutil.copy(invented_reader.__file__, copy / "formats/invented/reader.py")
    text = (copy / TABLE).read_text()
    assert text.count(BEFORE) == 1
    (copy / TABLE).write_text(text.replace(BEFORE, f"{IMPORT}{BEFORE}    {row}\n"))
    path = os.pathsep.join((str(folder), str(SOURCE.parents[1])))
    told = subprocess.run(
        [sys.executable, "-m", "tests.contract.bank_format_story", url],
        env=os.environ | {"PYTHONPATH": path}, cwd=SOURCE.parents[1], capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    assert found.pop("package") == str(copy)
    return found


@pytest.mark.parametrize(("rank", "richer"), [(1, "camt"), (4, "invented")])
def test_a_format_of_two_files_is_recognised_read_and_booked(
    migrated_url: str, tmp_path: Path, rank: int, richer: str
) -> None:
    """The facts of a payment that two formats show are those of the format with the higher rank."""
    row = f'BankFormat("invented", {NAMES[0]}, lambda stream, _: {NAMES[1]}(stream), rank={rank}),'
    assert tell(migrated_url, tmp_path, row) == {
        "invented": ["invented", 2, 0, {"1990": "invented", "2990": "invented"}],
        "camt": ["camt.053", 0, 1, {"1990": richer, "2990": "invented"}],
        "again": ["invented", 1, 2, {"1990": richer, "2990": "invented", "3990": "invented"}],
    }
