"""What the reader of pages takes for what, and that differences are noticed."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from tests.documents import answers, elsewhere
from tests.documents.pages import PAGES, Kind, Piece, pieces
from tests.documents.world import moved

_PAGE = """
Type this:

    paymatch simulate "My shop" payment A-1 \\
        --deliver    # and it is paid

    curl -s $API/order -d '{
      "number": "A-1"}'
    {"number": "A-1"}

1. In a list:

       KEY=value paymatch check

The file `half.yaml`:

    day 0: []

```php
<?php
```

    GET /api/v2/orders
    PAYMATCH_SHOP=a  PAYMATCH_BASE_URL=b
"""


def test_what_stands_on_a_page(tmp_path: Path) -> None:
    path = tmp_path / "client" / "page.md"
    found = [(each.kind, each.text.split("\n")[0]) for each in _read(path)]
    assert found == [
        (Kind.COMMAND, 'paymatch simulate "My shop" payment A-1 \\'),
        (Kind.COMMAND, "curl -s $API/order -d '{"),
        (Kind.OUTPUT, '{"number": "A-1"}'),
        (Kind.COMMAND, "KEY=value paymatch check"),
        (Kind.FILE, "day 0: []"),
        (Kind.CODE, "<?php"),
        (Kind.CALL, "GET /api/v2/orders"),
        (Kind.SETTINGS, "PAYMATCH_SHOP=a  PAYMATCH_BASE_URL=b"),
    ]
    assert [each.line for each in _read(path)][:4] == [4, 7, 9, 13]
    assert _read(path)[3].words == ["paymatch", "check"]


def _read(path: Path) -> list[Piece]:
    path.parent.mkdir(exist_ok=True)
    path.write_text(_PAGE, "utf-8")
    return list(pieces(path))


def test_the_documents_are_full_of_commands() -> None:
    counts = Counter(each.kind for path in PAGES for each in pieces(path) if not each.inline)
    assert counts[Kind.COMMAND] > 160
    assert counts[Kind.CODE] > 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("make demo", None),
        ("make moon", "no goal moon"),
        ("make faults ARGS=--seed", None),
        ("make faults ARGS=--lonely", "lab.faults has no --lonely"),
        (".venv/bin/python -m lab.booking 20 --history 10", None),
        (".venv/bin/python -m lab.bookings", "no module lab.bookings"),
        ("cp deploy/systemd/paymatch*.service /etc", None),
        ("cp deploy/systemd/paymatch.socket /etc", "not in the repository: deploy/systemd/paymatch.socket"),
        ("frobnicate", "is neither run nor listed in tests/documents/elsewhere.py"),
    ],
)
def test_what_is_looked_at_of_a_command_that_is_not_run(words: str, said: str | None) -> None:
    assert elsewhere.command_problem(words.split()) == said


def test_an_answer_of_another_form_is_noticed() -> None:
    shown = '[{"id": 42, "status": "PAID", "at": "02-03-2026", "sum": 1.5, "ok": true}]'
    same = '[{"id": 1}, {"id": 7, "status": "PAID", "at": "31-12-2031", "sum": 9.25, "ok": true}]'
    assert answers.differs(shown, same) is None
    for old, new in (
        ("PAID", "UNPAID"),
        ("31-12-2031", "2031-12-31"),
        ("true", "false"),
        ("9.25", '"9.25"'),
        ("sum", "Sum"),
    ):
        assert answers.differs(shown, same.replace(old, new)) is not None
    assert answers.differs(shown, "") == "is no JSON: ''"


def test_a_request_that_lacks_something_is_noticed() -> None:
    shown = 'POST /paid HTTP/1.1\nHost: x\nwebhook-id: 1\n\n{"number":"A",...,"amountPaid":1}'
    sent = 'POST /paid HTTP/1.1\r\nhost: y\r\nWebhook-Id: 2\r\na: 3\r\n\r\n{"number": "B", "amountPaid": 2, "more": 1}'
    assert answers.request_differs(shown, sent) is None
    assert answers.request_differs(shown, sent.replace("Webhook-Id", "id")) == "was not sent: ['webhook-id']"
    assert answers.request_differs(shown, sent.replace("amountPaid", "paid")) == "is not in the body: ['amountPaid']"
    assert answers.request_differs(shown, sent.replace("POST", "PUT")) is not None


def test_days_move_on_with_the_months() -> None:
    text = 'report --from 2026-10-01 --to 2026-10-31; close 2026-12; set "2026-12-01 14:30"'
    assert moved(text, date(2026, 11, 30)) == text
    assert moved(text, date(2027, 1, 31)) == (
        'report --from 2026-12-01 --to 2026-12-31; close 2027-02; set "2027-02-01 14:30"'
    )
    assert moved("--to 2026-10-31", date(2027, 3, 1)) == "--to 2027-02-28"
