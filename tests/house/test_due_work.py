"""docs/due-work.md lists every job of the worker, in rows that name it once."""

from __future__ import annotations

import re
from pathlib import Path

from paymatch.usecases.work.job_kinds import KINDS, SANDBOX_BANK

PAGE = Path(__file__).resolve().parents[2] / "docs" / "due-work.md"


def test_every_job_has_a_row_and_every_row_a_job() -> None:
    table = PAGE.read_text().split("| job |")[1].split("\n\n")[0]
    told = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    assert sorted(told) == sorted(kind.name for kind in KINDS if kind is not SANDBOX_BANK)
