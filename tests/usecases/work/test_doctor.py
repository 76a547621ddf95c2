"""What the doctor finds on a machine, in its settings and its database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from paymatch.clock import utc_now
from paymatch.domain.collection.default_interest import first_unknown, published_rates
from paymatch.domain.shops.audit import INSTALLATION, AuditAction
from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, NoAnswerReason, NullHttp
from paymatch.settings import Settings
from paymatch.store.database import Database
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record_alone
from paymatch.usecases.collection import base_rates, cases
from paymatch.usecases.shops import shops
from paymatch.usecases.work.doctor import Finding, Severity, examine, worst


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2)
    yield opened
    opened.close()


def states(database: Database, folder: Path, days_later: int = 0, **settings: Any) -> dict[str, str]:
    """Check -> state of an installation with these settings."""
    found = examine(database, Settings(data_dir=folder, **settings), utc_now() + timedelta(days=days_later))
    return {finding.check: str(finding.state) for finding in found}


def test_settings_that_reach_nobody_are_warnings(database: Database, tmp_path: Path) -> None:
    found = states(database, tmp_path)
    warnings = {name for name, state in found.items() if state != "ok"}
    assert warnings - {"disk", "temporary files", "memory", "open files", "rules with dates"} == {
        "address", "mail", "worker", "backup"
    }  # fmt: skip
    https: dict[str, Any] = {"base_url": "https://pay.example.com", "email_url": "smtp://mail"}
    found = states(database, tmp_path, **https)
    assert (found["address"], found["mail"], found["proxy"]) == ("ok", "ok", "warning")
    assert found["mail sender"] == "problem"
    found = states(database, tmp_path, mail_from="Payments <paymatch@example.com>", **https)
    assert found["mail sender"] == "ok"
    found = states(database, tmp_path, trusted_proxies="127.0.0.1/32", **https)
    assert found["proxy"] == "ok"


def test_an_old_release_says_which_rules_it_may_be_wrong_about(database: Database, tmp_path: Path) -> None:
    found = examine(database, Settings(data_dir=tmp_path), datetime(2028, 1, 1, tzinfo=UTC))
    (finding,) = [each for each in found if each.check == "rules with dates"]
    assert finding.state is Severity.WARNING
    assert "update paymatch, it knows EPC409-09 as of before 2027-05-01" in finding.text


def test_a_key_that_others_may_read_is_a_problem(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAYMATCH_SECRET_KEY")
    settings = Settings(data_dir=tmp_path)
    settings.secret()
    assert states(database, tmp_path)["secret key"] == "ok"
    settings.key_file().chmod(0o644)
    assert states(database, tmp_path)["secret key"] == "problem"


def test_clocks_that_differ_and_work_that_nobody_does_are_problems(database: Database, tmp_path: Path) -> None:
    shop = shops.create(database, "Shop", utc_now(), ibans=["DE89370400440532013000"]).shop
    with database.of_shop(shop) as tx:
        shop_jobs.add(tx, "retention", utc_now())
    found = states(database, tmp_path, days_later=1)
    assert (found["clock"], found["worker"]) == ("problem", "problem")


def test_backups_are_asked_for(database: Database, tmp_path: Path) -> None:
    assert states(database, tmp_path)["backup"] == "warning"
    record_alone(database, INSTALLATION, AuditAction.BACKUP_MADE, "today.zip")
    assert states(database, tmp_path)["backup"] == "ok"
    assert states(database, tmp_path, days_later=8)["backup"] == "warning"
    own = states(database, tmp_path, database_url="postgresql://elsewhere/paymatch")
    assert "backup" not in own  # one's own database has means of its own


def test_base_rate_that_a_claiming_shop_lacks_is_a_warning(database: Database, tmp_path: Path) -> None:
    missing = first_unknown(published_rates())
    eve = datetime(missing.year, missing.month, missing.day, 12, tzinfo=UTC) - timedelta(days=1)
    claiming, other = (shops.create(database, name, utc_now()).shop for name in ("Claiming", "Other"))
    for shop, interest in ((claiming, "on"), (other, "off")):
        with database.of_shop(shop) as tx:
            cases.set_agency(tx, {"name": "Agency Ltd", "interest": interest})

    def base_rate(days_later: int) -> Finding:
        found = examine(database, Settings(data_dir=tmp_path), eve + timedelta(days=days_later))
        return next(finding for finding in found if finding.check == "base rate")

    assert base_rate(0).state is Severity.OK
    lacking = base_rate(1)
    assert lacking.state is Severity.WARNING
    assert lacking.text == (
        f"Claiming claims interest, and the base rate of {missing} is not known:"
        " update paymatch, or paymatch collection add-rate SHOP DATE PERCENT"
    )
    with database.of_shop(claiming, at=eve) as tx:
        base_rates.add_rate(tx, missing.isoformat(), "2.00")
    assert base_rate(1).state is Severity.OK


def test_the_worst_state_counts() -> None:
    fine, warning, problem = (Finding("x", state, "") for state in Severity)
    assert worst([]) is Severity.OK
    assert worst([problem, fine, warning]) is Severity.PROBLEM
    assert worst([fine, warning]) is Severity.WARNING


def test_a_misspelled_variable_is_a_warning(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states(database, tmp_path)["variables"] == "ok"
    monkeypatch.setenv("PAYMATCH_BASEURL", "https://pay.example.com")
    assert states(database, tmp_path)["variables"] == "warning"


@pytest.mark.parametrize(
    ("status", "body", "state", "words"),
    [
        (401, b"with the token only\nyour address: 203.0.113.9\n", "ok", "knows strangers by address"),
        (401, b"with the token only\nyour address: 127.0.0.1\n", "warning", "let the proxy set X-Forwarded-For"),
        (200, b"paymatch_up 1\n", "problem", "unset PAYMATCH_LOCAL_REQUESTS"),
        (502, b"", "warning", "is it this service?"),
        (0, b"", "warning", "does not answer this machine"),
    ],
)
def test_the_service_is_asked_from_outside(
    database: Database, tmp_path: Path, status: int, body: bytes, state: str, words: str
) -> None:
    class Outside(NullHttp):
        def call(self, call: HttpCall) -> HttpAnswer:
            assert (call.method, call.url) == ("GET", "https://pay.example.com/metrics")
            if not status:
                raise CallFailed(NoAnswerReason.NOT_CONNECTED, Message("text", value="nobody listens"))
            return HttpAnswer(status, body, False, None, 0.1, "203.0.113.1")

    settings = Settings(data_dir=tmp_path, base_url="https://pay.example.com")
    (found,) = [each for each in examine(database, settings, utc_now(), Outside()) if each.check == "from outside"]
    assert found.state == state and words in found.text
