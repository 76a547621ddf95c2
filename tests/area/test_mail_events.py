"""A mail provider's reports: signed ones are believed, undelivered mail is recorded, and other senders are ignored."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from pydantic import SecretStr

from paymatch.area.service import Service, provide
from paymatch.outbound.mail.outgoing import MailDoor, OutgoingMail
from paymatch.outbound.mail.provider import provider_in
from paymatch.usecases.reminders.reminders import send_due
from tests.usecases.refunds.refund_world import RefundWorld

KEY = rsa.generate_private_key(65537, 2048)
PATH = "/mail-events/postal/tracking/"


class Provider(MailDoor):
    """Takes mail and names it."""

    delivers = True

    def send(self, mail: OutgoingMail) -> str:
        return f"P-{mail.id}"

    def close(self) -> None:
        """Nothing to let go of."""


@pytest.fixture
def sent(service: Service, world: RefundWorld) -> Iterator[str]:
    """The provider's name of a mail that it has taken; its reports are checked by KEY."""
    from django.test import override_settings

    public = KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    options = {"api_key": "k", "api_url": "https://p.example", "webhook_key": b64encode(public).decode()}
    settings = service.settings.model_copy(update={"email_url": SecretStr(f"anymail://postal?{urlencode(options)}")})
    world.client.change(mail_from="shop@example.org", payment_information="on")
    world.client.submit("A-1", customerEmail="eva@example.com")
    while send_due(service.database, world.client.shop, Provider(), service.clock()):
        pass
    provider = provider_in(settings)
    assert provider is not None
    provide(replace(service, settings=settings))
    with override_settings(ANYMAIL=provider.webhook_settings()):
        yield str(world.client.rows("SELECT provider_id FROM mails WHERE shop_id = $1")[0][0])
    provide(service)


def post(event: dict[str, Any], *, path: str = PATH, signed: bool = True) -> int:
    from django.test import Client

    body = json.dumps({"timestamp": 1772442000, "uuid": "u", "payload": event}).encode()
    signature = KEY.sign(body if signed else b"else", padding.PKCS1v15(), hashes.SHA1())  # noqa: S303  the provider's way
    answer = Client(enforce_csrf_checks=True).post(
        path, body, content_type="application/json", headers={"X-Postal-Signature": b64encode(signature).decode()}
    )
    return int(answer.status_code)


def bounce(named: str) -> dict[str, Any]:
    message = {"id": named, "to": "eva@example.com", "direction": "outgoing"}
    return {"original_message": message, "bounce": {"id": 7}, "details": "550 no\r\nsuch user"}


def test_a_bounce_becomes_the_state_of_the_mail(sent: str, world: RefundWorld) -> None:
    state = "SELECT status, error FROM mails WHERE shop_id = $1"
    delivered = {"status": "Sent", "message": {"id": sent, "to": "eva@example.com", "direction": "outgoing"}}
    assert post(delivered) == 200
    assert world.client.rows(state) == [("SENT", "")]
    assert post(bounce(sent)) == post(bounce(sent)) == post(bounce("P-unknown")) == 200
    assert world.client.rows(state) == [("BOUNCED", "550 no such user")]
    assert world.client.rows("SELECT count(*) FROM alerts WHERE shop_id = $1") == [(1,)]


@pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailInsecureWebhookWarning")
@pytest.mark.parametrize("option", ["webhook_key=k", "webhook_secert=u:p", "webhook_signing_key=k"])
def test_attack_a_key_that_the_provider_does_not_know_checks_nothing(
    sent: str, service: Service, world: RefundWorld, option: str
) -> None:
    """Reports of this provider are proven by name and password alone: any other option is a mistake."""
    from django.test import Client, override_settings

    settings = service.settings.model_copy(update={"email_url": SecretStr(f"anymail://brevo?api_key=k&{option}")})
    provider = provider_in(settings)
    assert provider is not None
    provide(replace(service, settings=settings))
    report = {"event": "hard_bounce", "message-id": sent, "email": "eva@example.com", "ts_epoch": 1772442000000}
    with override_settings(ANYMAIL=provider.webhook_settings()):
        answer = Client().post("/mail-events/brevo/tracking/", json.dumps(report), content_type="application/json")
    assert answer.status_code == 404
    assert world.client.rows("SELECT status FROM mails WHERE shop_id = $1") == [("SENT",)]


def test_nobody_else_is_heard(sent: str, service: Service, world: RefundWorld) -> None:
    assert post(bounce(sent), signed=False) == 400
    assert post(bounce(sent), path="/mail-events/brevo/tracking/") == 404
    provide(service)  # mail goes out in another way
    assert post(bounce(sent)) == 404
    assert world.client.rows("SELECT status FROM mails WHERE shop_id = $1") == [("SENT",)]
