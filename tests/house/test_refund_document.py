"""docs/refund-states.md: its table is the table of moves, and every reason to wait is explained."""

from __future__ import annotations

import re
from pathlib import Path

from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, HoldReason

PAGE = (Path(__file__).parents[2] / "docs" / "refund-states.md").read_text("utf-8")


def test_table_of_moves() -> None:
    rows = re.findall(r"^\| ([A-Z_]+) \| ([a-z ]+)(?::[^|]*)? \| ([A-Z_]+) \|$", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(
        (str(start), str(event).strip(), str(end)) for (start, event), end in REFUND_LIFECYCLE.moves.items()
    )


def test_reasons_to_wait() -> None:
    section = PAGE.partition("## Why a refund stays")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
    assert set(rows) - {"reason"} == {str(reason) for reason in HoldReason}
