"""Documents that repeat the code: written from it, and compared with it in `make check`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tools.documents.api import api
from tools.documents.clerks_rules import clerks_rules
from tools.documents.client_files import client_files
from tools.documents.command_line import command_line
from tools.documents.decisions import decisions_index
from tools.documents.evidence import evidence
from tools.documents.glossary import glossary
from tools.documents.privacy import privacy
from tools.documents.settings import variables
from tools.documents.states import states
from tools.documents.watching import dashboard, watching
from tools.documents.where import where
from tools.documents.witnesses import witnesses

ROOT: Final = Path(__file__).resolve().parents[1]

DOCUMENTS: Final[tuple[tuple[str, Callable[[], str]], ...]] = (
    ("docs/states.md", states),
    ("docs/evidence.md", evidence),
    ("docs/witnesses.md", witnesses),
    ("docs/clerks-rules.md", clerks_rules),
    ("docs/command-line.md", command_line),
    ("docs/api.md", api),
    ("docs/decisions/README.md", decisions_index),
    ("docs/glossary.md", glossary),
    ("docs/settings.md", variables),
    ("docs/privacy.md", privacy),
    ("docs/watching.md", watching),
    ("deploy/watching/dashboard.json", dashboard),
    ("docs/where.md", where),
    *client_files(),
)
"""(path, function that returns the text). A document that repeats code gets a line here."""


def stale() -> list[str]:
    """Paths of the documents that differ from what the code says."""
    return [path for path, text in DOCUMENTS if _current(ROOT / path) != text()]


def main(arguments: list[str]) -> int:
    """Writes all documents, or with --check only names those that are out of date (exit code 1)."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m tools.generate_docs [--check]", file=sys.stderr)
        return 2
    found = stale()
    if arguments:
        print("\n".join(f"{path} is out of date: make docs" for path in found) or "generated documents: up to date")
        return 1 if found else 0
    for path, text in DOCUMENTS:
        if path in found:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text(), "utf-8")
            print(f"{path} written")
    return 0


def _current(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
