"""Mail through a provider's API (django-anymail): the same message, and its id in the provider's reports."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.encoders import encode_base64
from email.mime.base import MIMEBase
from types import ModuleType
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings as django_settings
from django.core.mail import EmailMultiAlternatives

from paymatch.domain.words.message import Message
from paymatch.outbound.mail.outgoing import TIMEOUT_SECONDS, MailNotSent, MailRoute, MailUrlRefused, OutgoingMail
from paymatch.settings import Settings
from paymatch.system_errors import in_a_sentence

_NAME: Final = re.compile(r"[a-z][a-z_]{1,40}")
_OWN_HEADERS: Final = frozenset(
    {"from", "to", "subject", "reply-to", "content-type", "content-transfer-encoding", "mime-version"}
)
"""Headers that the provider writes itself, or that belong to the parts."""


@dataclass(frozen=True, slots=True)
class MailProvider:
    """A provider as django-anymail names it, with its settings: api_key, api_url and what else its page there says.

    `webhook` are those whose names begin so: how it proves that its reports are its own.
    """

    name: str
    options: Mapping[str, str]
    webhook: Mapping[str, str]

    def webhook_settings(self) -> dict[str, str]:
        """The settings of its reports as Django has them; those of no other provider are known."""
        shared = {"webhook_secret"}
        return {
            key.upper() if key in shared else f"{self.name}_{key}".upper(): value for key, value in self.webhook.items()
        }


def provider_of(url: str) -> MailProvider:
    """The provider of `anymail://NAME?api_key=...&api_url=...`. MailUrlRefused."""
    parts = urlsplit(url)
    name, options = parts.netloc, dict(parse_qsl(parts.query))
    if not _NAME.fullmatch(name) or not options or parts.path not in ("", "/"):
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-anymail"))
    address = options.get("api_url", "https://")
    if not address.startswith("https://") and not _is_local(address):
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-api"))
    webhook = {key: value for key, value in options.items() if key.startswith("webhook_")}
    return MailProvider(name, {key: value for key, value in options.items() if key not in webhook}, webhook)


def provider_in(settings: Settings) -> MailProvider | None:
    """The provider that the operator has named; None if mail is sent differently. MailUrlRefused."""
    url = settings.email_url.get_secret_value() if settings.email_url is not None else ""
    return provider_of(url) if url.startswith("anymail://") else None


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


class ProviderDoor:
    """Mail by HTTP, over one session. What a provider cannot do (pictures within the text) goes as an attachment."""

    delivers = True

    def __init__(self, provider: MailProvider, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        if not django_settings.configured:  # in the process of the merchant area it is
            django_settings.configure(USE_I18N=False, USE_TZ=True)
        from anymail.exceptions import AnymailConfigurationError  # noqa: PLC0415  it reads Django's settings

        self._name = provider.name
        self._one_at_a_time = threading.Lock()
        options = {"ignore_unsupported_features": True, "timeout": timeout_seconds, **provider.options}
        try:
            self._backend: Any = _module(provider.name).EmailBackend(**options)
        except (AnymailConfigurationError, TypeError) as error:
            raise MailUrlRefused(Message("mail-url-other", error=str(error)[:280])) from None

    @property
    def route(self) -> MailRoute:
        """The provider, whose API is called by HTTPS."""
        url = getattr(self._backend, "api_url", "")
        return MailRoute(urlsplit(url).netloc or self._name, "HTTPS" if url.startswith("https://") else "")

    def send(self, mail: OutgoingMail) -> str:
        """Hands the mail to the provider: its name for it. A refusal of the recipient or the mail is permanent."""
        from anymail.exceptions import (  # noqa: PLC0415
            AnymailError,
            AnymailInvalidAddress,
            AnymailRecipientsRefused,
            AnymailSerializationError,
        )

        message = django_message(mail)
        with self._one_at_a_time:
            try:
                self._backend.send_messages([message])
            except (AnymailRecipientsRefused, AnymailInvalidAddress, AnymailSerializationError) as error:
                raise MailNotSent(_words(error), permanent=True) from error
            except (AnymailError, OSError) as error:
                raise MailNotSent(_words(error), permanent=False) from error
        named = message.anymail_status.recipients.get(mail.recipient)
        return str(named.message_id or "") if named is not None else ""

    def close(self) -> None:
        """Lets go of the session."""
        self._backend.close()


def django_message(mail: OutgoingMail) -> EmailMultiAlternatives:
    """The message in Django's shape: its text, its HTML, and each other part with its name in the HTML."""
    content = message_from_bytes(mail.content, policy=policy.default)
    text, html = content.get_body(("plain",)), content.get_body(("html",))
    found = EmailMultiAlternatives(
        str(content["Subject"] or ""), _text(text), str(content["From"]), [mail.recipient],
        reply_to=[str(content["Reply-To"])] if content["Reply-To"] else None,
        headers={name: str(value) for name, value in content.items() if name.lower() not in _OWN_HEADERS},
    )  # fmt: skip
    if html is not None:
        found.attach_alternative(_text(html), "text/html")
    bodies = [part for part in (text, html) if part is not None]
    for part in content.walk():
        if not part.is_multipart() and not any(part is body for body in bodies):
            found.attach(_attachment(part))
    return found


def _text(part: Any) -> str:
    return "" if part is None else str(part.get_content()).replace("\r\n", "\n")


def _attachment(part: Any) -> MIMEBase:
    found = MIMEBase(part.get_content_maintype(), part.get_content_subtype())
    payload = part.get_payload(decode=True)
    found.set_payload(payload if isinstance(payload, bytes) else b"")
    encode_base64(found)
    name = part.get_filename() or "attachment"
    found.add_header("Content-Disposition", part.get_content_disposition() or "attachment", filename=name)
    if part["Content-ID"]:
        found.add_header("Content-ID", str(part["Content-ID"]))
    return found


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"anymail.backends.{name}")
    except ImportError:
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-django", name=repr(name))) from None


def _words(error: Exception) -> str:
    """The first lines of what went wrong, without the message that was sent."""
    return " ".join(f"{type(error).__name__}: {in_a_sentence(error)}".split())[:300]
