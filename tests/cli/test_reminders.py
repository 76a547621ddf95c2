"""paymatch reminders and paymatch mail, as a clerk uses them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.clock import utc_now
from paymatch.domain.calendar import minus_bank_days
from paymatch.store.database import Database
from paymatch.usecases.orders import orders
from tests.cli.conftest import spoken
from tests.fakes.mail_server import mail_server
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world

Run = Callable[..., Any]


@pytest.fixture
def world(migrated_url: str) -> MailWorld:
    """A shop whose order is due for payment information today."""
    database = Database(migrated_url, size=2, keyring=KEYRING)
    world = new_world(database, payment_information="on")
    world.now = utc_now()
    day = f"{world.shop.today(world.now):%d-%m-%Y}"
    world.order("=A-1001", date=day, dueDate=day)
    world.order("A-1002", date=day, dueDate=day, type="COD")
    world.statement(minus_bank_days(world.shop.today(world.now), 1))
    return world


@pytest.fixture
def run(world: MailWorld, migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`run("reminders", "list", "Mail")`: the JSON that is printed, or the text of the refusal."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path))

    def call(*words: str, as_json: bool = True) -> Any:
        result = CliRunner().invoke(app, [*words, *(["--json"] if as_json else [])])
        if result.exit_code:
            return spoken(result.stderr).strip()
        return json.loads(result.stdout) if as_json else result.stdout

    yield call
    world.database.close()


def test_from_the_preview_to_the_mail(run: Run, world: MailWorld, tmp_path: Path) -> None:
    rows = run("reminders", "preview", "Mail")
    assert [(row["orderNumber"], row["mail"], row["reason"]) for row in rows] == [
        ("=A-1001", "payment information", ""), ("A-1002", "", "not-managed"),
    ]  # fmt: skip
    assert datetime.fromisoformat(rows[0]["at"]).utcoffset() is not None
    assert world.mails() == []
    csv = run("reminders", "preview", "Mail", "--mails-only", "--csv", as_json=False).splitlines()
    assert csv[0].startswith("orderNumber,mail,at,email") and csv[1].startswith("'=A-1001,payment information,")
    assert len(csv) == 2
    assert run("reminders", "run", "Mail") == {"ordersLookedAt": 2}
    (mail,) = run("mail", "list", "Mail")
    assert (mail["orderNumber"], mail["status"], mail["to"]) == ("=A-1001", "KEPT", "=a-1001@example.com")
    shown = run("mail", "show", "Mail", mail["id"])
    assert shown["text"].startswith("Guten Tag Erika Mustermann,")
    (file,) = (tmp_path / "mail" / str(world.id)).iterdir()
    raw = run("mail", "show", "Mail", mail["id"], "--raw", as_json=False).encode()
    assert raw == file.read_bytes().replace(b"\r\n", b"\n")  # as the test's runner hands it over
    assert run("mail", "list", "Mail", "--status", "REFUSED") == run("reminders", "list", "Mail") == []


def test_the_minimum_is_set_and_shown(run: Run, world: MailWorld) -> None:  # D-84
    run("shop", "set", "Mail", "reminder-minimum=50.00")
    assert run("shop", "show", "Mail")["settings"]["reminder-minimum"] == "50.00"
    world.order("A-1009", "100.00")
    world.rows(
        "UPDATE orders SET postings_minor = 5001, status = 'PAID_PARTIAL' WHERE shop_id = $1 AND number = 'A-1009'"
        " RETURNING 1"
    )
    rows = run("reminders", "preview", "Mail")
    assert [row["reason"] for row in rows if row["orderNumber"] == "A-1009"] == ["below-minimum"]
    run("shop", "set", "Mail", "reminder-minimum=49.99")
    rows = run("reminders", "preview", "Mail")
    assert [row["reason"] for row in rows if row["orderNumber"] == "A-1009"] != ["below-minimum"]


def test_mail_that_was_kept_long_enough(run: Run, world: MailWorld) -> None:
    assert run("shop", "set", "Mail", "keep-mail-days=30")["keep_mail_days"] == 30
    assert run("reminders", "run", "Mail") == {"ordersLookedAt": 2}
    (mail,) = run("mail", "list", "Mail")
    world.rows(
        "UPDATE mails SET finished_at = finished_at - interval '31 days' WHERE shop_id = $1 RETURNING id",
    )
    assert run("jobs", "run", "Mail", "retention")["result"] == ""
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.cancel(tx, "=A-1001")
    assert run("jobs", "run", "Mail", "retention")["result"] == "1 message of a mail deleted"
    (row,) = run("mail", "list", "Mail")
    assert (mail["forgotten"], row["forgotten"], row["to"], row["subject"], row["text"]) == (False, True, "", "", "")
    assert (row["id"], row["status"], row["messageId"]) == (mail["id"], "KEPT", mail["messageId"])
    refusal = f"Error: The message of mail {mail['id']} has been deleted (keep-mail-days)"
    assert run("mail", "show", "Mail", mail["id"], "--raw") == refusal
    assert run("mail", "show", "Mail", mail["id"])["text"] == ""


def test_the_plan_and_the_words(run: Run, tmp_path: Path) -> None:
    assert run("reminders", "plan", "Mail")["levels"] == "7,21:2.50"
    assert run("reminders", "plan", "Mail", "levels=10,+5:1.00", "opens=08:00")["levels"] == "10,+5:1.00"
    assert run("reminders", "plan", "Mail")["opens"] == "08:00"
    words = tmp_path / "words.txt"
    words.write_text("Dear $name,\n\nplease pay.", "utf-8")
    (row,) = run("reminders", "text", "Mail", "1", "en", "--subject", "Order $order", "--body", str(words))
    assert (row["own"], row["subject"], row["body"]) == (True, "Order $order", "Dear $name,\n\nplease pay.")
    (row,) = run("reminders", "text", "Mail", "1", "en", "--reset")
    assert (row["own"], row["subject"]) == (False, "Payment reminder for your order {{ order }}")


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (
            ("reminders", "plan", "Mail", "levels=x"),
            "Error: levels: 'x' is not a level; 7, 21:2.50 or +14:5.00 is expected",
        ),
        (("reminders", "preview", "Mail", "--until", "soon"), "Error: Invalid date: soon, format should be YYYY-MM-DD"),
        (("reminders", "text", "Mail", "1", "sv", "--reset"), "Error: Texts are written in de, en, fr, it, nl, pl,"),
        (("reminders", "text", "Mail", "1", "en", "--subject", "x"), "Error: --subject and --body belong together"),
        (("reminders", "preview", "Mail", "--csv"), "Error: --json or --csv, not both"),
        (("mail", "show", "Mail", "ml_0"), "Error: The shop has no mail 'ml_0'"),
        (("mail", "again", "Mail", "ml_0"), "Error: The shop has no mail 'ml_0'"),
        (("shop", "set", "Mail", "mail-from=nobody"), "Error: mail-from=nobody: a plain e-mail address is expected"),
    ],
)
def test_refusals(run: Run, words: tuple[str, ...], refusal: str) -> None:
    assert run(*words).startswith(refusal)


def test_a_mail_shows_which_way_mail_goes(
    run: Run, world: MailWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.set(reply_to="help@shop.example")
    kept = run("mail", "test", "Mail", "me@example.org")
    assert (kept["status"], kept["server"], kept["encryption"]) == ("KEPT", str(tmp_path / "mail"), "none")
    with mail_server({"RCPT": "550 no such user"}) as server:
        monkeypatch.setenv("PAYMATCH_EMAIL_URL", f"smtp://127.0.0.1:{server.port}?starttls=off")
        refusal = run("mail", "test", "Mail", "me@example.org")
        assert refusal == f"Error: 127.0.0.1:{server.port} did not take the mail: 550 no such user"
        server.answers.clear()
        sent = run("mail", "test", "Mail", "me@example.org")
        ((sender, recipient, content),) = server.taken
    message = message_from_bytes(content, policy=policy.default)
    assert (sender, recipient) == ("post@shop.example", "me@example.org")
    assert sent == {
        "status": "SENT", "server": f"127.0.0.1:{server.port}", "encryption": "none", "from": "post@shop.example",
        "replyTo": "help@shop.example", "to": "me@example.org", "subject": message["Subject"],
        "messageId": message["Message-ID"],
        "spf": "Authentication-Results must say spf=pass: the TXT record v=spf1 of shop.example has to name 127.0.0.1",
        "dkim": "and dkim=pass with header.d=shop.example:"
        " 127.0.0.1 has to sign, with its key in the DNS of shop.example",
        "dmarc": "and dmarc=pass: _dmarc.shop.example needs a TXT record, v=DMARC1; p=none to begin with",
    }  # fmt: skip
    assert "spf" not in kept
    assert (message["Subject"], message["Reply-To"]) == ("Testmail von Mail", "help@shop.example")
    assert world.mails() == [], "it is about no order"
    world.set(reminders="off", payment_information="off")
    world.set(mail_from="")
    assert run("mail", "test", "Mail", "me@example.org").startswith("Error: The shop has no address for mail")
    assert run("mail", "test", "Mail", "nobody").startswith("Error: nobody is not an address")
