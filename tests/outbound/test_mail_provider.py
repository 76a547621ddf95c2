"""Mail by a provider's API. Django is configured once per process, so mail is sent from a process of its own."""

from __future__ import annotations

import json
import sys
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from pathlib import Path
from subprocess import run

import pytest
from pydantic import SecretStr

from paymatch.domain.money import EUR, Money
from paymatch.domain.shops.brand import Brand
from paymatch.formats.mail.layout import Head
from paymatch.formats.mail.message import ThanksMail
from paymatch.formats.mail.texts import usual_wording
from paymatch.outbound.mail.outgoing import MailUrlRefused, OutgoingMail
from paymatch.outbound.mail.provider import django_message, provider_in, provider_of
from paymatch.settings import Settings
from tests.fakes.mail_provider import mail_provider
from tests.formats.mail.test_message import MAIL
from tests.waiting import PATIENCE_SECONDS

_SEND = """
import json, sys
from pydantic import SecretStr
from paymatch.outbound.mail.opening import open_mail
from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.settings import Settings
door = open_mail(Settings(email_url=SecretStr(sys.argv[1])))
try:
    named = door.send(OutgoingMail("shop", "ml_1", "post@shop.example", "eva@example.com", sys.stdin.buffer.read()))
    print(json.dumps([named, door.route.server, door.delivers]))
except MailNotSent as error:
    print(json.dumps([error.permanent, str(error)]))
finally:
    door.close()
"""


def send(url: str, content: bytes) -> list[object]:
    done = run(
        [sys.executable, "-c", _SEND, url], input=content, capture_output=True, check=True, timeout=PATIENCE_SECONDS
    )
    found: list[object] = json.loads(done.stdout)
    return found


def test_the_provider_gets_the_message_and_names_it() -> None:
    content = MAIL.write()
    with mail_provider() as provider:
        url = f"anymail://postal?api_key=KEY&api_url=http://127.0.0.1:{provider.port}"
        assert send(url, content) == ["1", f"127.0.0.1:{provider.port}", True]
        ((key, asked),) = provider.asked
        provider.status = 503
        (permanent, words) = send(url, content)
    message = message_from_bytes(content, policy=policy.default)
    assert (key, asked["to"], asked["subject"]) == ("KEY", ["eva@example.com"], message["Subject"])
    assert asked["headers"]["Message-ID"] == message["Message-ID"]
    assert asked["headers"]["Auto-Submitted"] == "auto-generated"
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and asked["plain_body"] == text.get_content().replace("\r\n", "\n")
    assert html is not None and asked["html_body"] == html.get_content().replace("\r\n", "\n")
    assert [each["content_type"] for each in asked.get("attachments", [])] == [
        part.get_content_type() for part in message.walk() if part.get_content_maintype() == "image"
    ]
    assert permanent is False and "503" in str(words) and "KEY" not in str(words)


def test_pictures_keep_the_names_by_which_the_text_shows_them() -> None:
    head = Head(
        "<m@shop.example>", datetime(2026, 3, 2, 9, tzinfo=UTC), "post@shop.example", "help@shop.example",
        "eva@example.com", "Eva", "en", "DE", Brand("Shop"),
    )  # fmt: skip
    content = ThanksMail(head, usual_wording("thanks", 3, "en"), "A-1", date(2026, 3, 2), Money(100, EUR)).write()
    message = django_message(OutgoingMail("shop", "ml_1", "post@shop.example", "eva@example.com", content))
    assert (message.to, message.reply_to, message.from_email) == (
        ["eva@example.com"], ["help@shop.example"], "Shop <post@shop.example>",
    )  # fmt: skip
    assert [kind for _, kind in message.alternatives] == ["text/html"]
    with_code = django_message(OutgoingMail("shop", "ml_1", "post@shop.example", "eva@example.com", MAIL.write()))
    assert [part["Content-ID"] for part in with_code.attachments] == [
        part["Content-ID"]
        for part in message_from_bytes(MAIL.write(), policy=policy.default).walk()
        if part.get_content_maintype() == "image"
    ]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("anymail://", "anymail://PROVIDER?api_key=... is expected"),
        ("anymail://postal", "anymail://PROVIDER?api_key=... is expected"),
        ("anymail://../../x?api_key=1", "anymail://PROVIDER?api_key=... is expected"),
        ("anymail://postal?api_key=SECRET&api_url=http://postal.example", "api_url must begin with https://"),
    ],
)
def test_addresses_that_cannot_be_used(url: str, why: str) -> None:
    with pytest.raises(MailUrlRefused, match="PAYMATCH_EMAIL_URL") as refused:
        provider_of(url)
    assert why in str(refused.value) and "SECRET" not in str(refused.value)


def test_settings_of_reports_are_apart(tmp_path: Path) -> None:
    url = "anymail://postal?api_key=K&api_url=https://p.example&webhook_secret=a:b&webhook_key=PUB"
    found = provider_in(Settings(email_url=SecretStr(url), data_dir=tmp_path))
    assert found is not None and dict(found.options) == {"api_key": "K", "api_url": "https://p.example"}
    assert found.webhook_settings() == {"WEBHOOK_SECRET": "a:b", "POSTAL_WEBHOOK_KEY": "PUB"}
    assert provider_in(Settings(email_url=SecretStr("smtp://127.0.0.1"), data_dir=tmp_path)) is None
