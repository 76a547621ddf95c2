"""README.md and docs/first-paid-order.md: their commands are run as written, and the newcomer's order is paid."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.front.service import ROOT, Service, service
from tests.keys import SECRET_KEY

README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "first-paid-order.md").read_text("utf-8")


def commands(page: str, section: str) -> list[str]:
    """The indented blocks of a section."""
    text = page.split(f"\n## {section}\n")[1].split("\n## ", maxsplit=1)[0]
    return re.findall(r"^    \S.*(?:\n    .*)*", text, re.MULTILINE)


def run(script: list[str], running: Service, folder: Path, program: Path) -> str:
    """What the commands print, one after the other in one shell, with the service's port and this interpreter."""
    text = "\n".join(line.removeprefix("    ") for block in script for line in block.splitlines())
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{running.port}")
    text = text.replace(".venv/bin/paymatch", str(program))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAYMATCH_")}
    environment |= {
        "PAYMATCH_DATABASE_URL": running.url, "COLUMNS": "200",
        "PAYMATCH_DATA_DIR": str(folder / "data"), "PYTHONUTF8": "1", "PAYMATCH_SECRET_KEY": SECRET_KEY,
    }  # fmt: skip
    done = subprocess.run(["bash", "-euc", text], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def answers(printed: str) -> list[Any]:
    """The JSON objects and arrays of orders among what was printed, in their sequence."""
    begins = re.finditer(r'\{"number"|\[\]|\["', printed)
    return [json.JSONDecoder().raw_decode(printed, begin.start())[0] for begin in begins]


def test_a_newcomers_order_is_paid_by_three_commands_and_what_comes_next_works(
    migrated_url: str, tmp_path: Path, warm_program: Path
) -> None:
    start, *three = commands(README, "Your first paid order")
    assert (start, len(three)) == ("    make run", 3)
    further = commands(PAGE, "More to try")
    with service(migrated_url, tmp_path) as running:
        first, then = run([*three, "    echo then", *further], running, tmp_path, warm_program).split("then\n", 1)
    (submitted,) = answers(first)
    assert (submitted["number"], submitted["paymentStatus"]) == ("A-1001", "UNPAID")
    (row,) = [line.split("│") for line in first.splitlines() if line.startswith("│")]
    assert (row[2].strip(), row[-2].strip()) == ("A-1001", "PAID")
    order, still_open = answers(then)
    assert (order["paymentStatus"], order["amountPaid"], len(order["postings"])) == ("PAID", 49.9, 1)
    assert still_open == []
    assert then.splitlines()[-1] == "status: NEW"


def test_the_readme_is_a_page_that_one_reads() -> None:
    assert len(README.encode()) <= 6 * 1024
    assert len(set(re.findall(r"\(docs/(start-[a-z]+)\.md\)", README))) == 5
    pictures = re.findall(r"!\[[^\]]+\]\((docs/pictures/[\w-]+\.png)\)", README)
    assert len(pictures) == 2
    assert all((ROOT / path).is_file() for path in pictures)
