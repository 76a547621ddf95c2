"""Mail of the service itself: its texts in both languages, as HTML and plain text with a button, and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import make_msgid, parseaddr
from enum import StrEnum
from typing import Final
from uuid import uuid4

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from paymatch.area.service import the_service
from paymatch.formats.languages.texts import language_among
from paymatch.outbound.mail.opening import open_mail
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail

_FOLDER = "area"
"""Where mail is kept that no server sends: the place of a shop's id."""


class ServiceMail(StrEnum):
    """Subjects of the service's mail to its users; allauth's names where allauth sends it."""

    INVITATION = "invitation"
    INVITED_AGAIN = "invited_again"
    PASSWORD_RESET_KEY = "password_reset_key"  # noqa: S105  a name, no secret
    UNKNOWN_ACCOUNT = "unknown_account"
    PASSWORD_RESET = "password_reset"  # noqa: S105
    PASSWORD_CHANGED = "password_changed"  # noqa: S105
    PASSWORD_SET = "password_set"  # noqa: S105
    NEW_SIGN_IN = "new_sign_in"
    TOTP_ACTIVATED = "totp_activated"
    TOTP_DEACTIVATED = "totp_deactivated"
    WEBAUTHN_ADDED = "webauthn_added"
    WEBAUTHN_REMOVED = "webauthn_removed"
    RECOVERY_CODES_GENERATED = "recovery_codes_generated"
    NEW_POWER = "new_power"


@dataclass(frozen=True, slots=True)
class ServiceText:
    """A mail in words; `%(name)s` is filled in. `button` leads to the link."""

    subject: str | Promise
    paragraphs: tuple[str | Promise, ...]
    button: str | Promise


_NOT_YOU: Final = _("If this was not you, change your password immediately and inform the owner of your shop.")
_FROM_WHERE: Final = _("%(at)s, %(device)s, IP address %(address)s")
_SIGN_IN: Final = _("Sign in")


def _changed_subject_text(subject: str | Promise, *paragraphs: str | Promise) -> ServiceText:
    return ServiceText(subject, (*paragraphs, _FROM_WHERE, _NOT_YOU), _SIGN_IN)


_NEW_PASSWORD: Final = _changed_subject_text(
    _("Your password was changed"), _("From now on you sign in to paymatch with your new password.")
)

TEXTS: Final[Mapping[ServiceMail, ServiceText]] = {
    ServiceMail.INVITATION: ServiceText(
        _("Invitation to %(shop)s"),
        (
            _("%(by)s has invited you to %(shop)s on paymatch."),
            _("Choose a password to get started. The link is valid for %(days)s days."),
        ),
        _("Accept the invitation"),
    ),
    ServiceMail.INVITED_AGAIN: ServiceText(
        _("You have been added to %(shop)s"),
        (
            _("%(by)s has added you to the team of %(shop)s on paymatch."),
            _("Sign in as usual and choose the shop from your list."),
        ),
        _SIGN_IN,
    ),
    ServiceMail.PASSWORD_RESET_KEY: ServiceText(
        _("Reset your password for paymatch"),
        (
            _("A new password was requested for this address. The link works once, within %(days)s days."),
            _("If you did not request it, ignore this mail: your password remains unchanged."),
        ),
        _("Choose a new password"),
    ),
    ServiceMail.UNKNOWN_ACCOUNT: ServiceText(
        _("Reset your password for paymatch"),
        (
            _("A new password was requested for this address, but there is no account with it."),
            _("Try another of your addresses, or ask the owner of your shop for an invitation."),
            _("If you did not request it, ignore this mail."),
        ),
        _SIGN_IN,
    ),
    ServiceMail.PASSWORD_RESET: _NEW_PASSWORD,
    ServiceMail.PASSWORD_CHANGED: _NEW_PASSWORD,
    ServiceMail.PASSWORD_SET: _changed_subject_text(
        _("Your password was set"), _("From now on you can sign in to paymatch with a password.")
    ),
    ServiceMail.NEW_SIGN_IN: _changed_subject_text(
        _("New sign-in to paymatch"), _("A new browser was used to sign in to your account.")
    ),
    ServiceMail.TOTP_ACTIVATED: _changed_subject_text(
        _("Authenticator app added"), _("Signing in now requires a code from your authenticator app.")
    ),
    ServiceMail.TOTP_DEACTIVATED: _changed_subject_text(
        _("Authenticator app removed"), _("Signing in no longer requires a code from an authenticator app.")
    ),
    ServiceMail.WEBAUTHN_ADDED: _changed_subject_text(
        _("Passkey added"), _("From now on you can sign in with the new passkey.")
    ),
    ServiceMail.WEBAUTHN_REMOVED: _changed_subject_text(
        _("Passkey removed"), _("You can no longer sign in with one of your passkeys.")
    ),
    ServiceMail.RECOVERY_CODES_GENERATED: _changed_subject_text(
        _("New recovery codes"), _("New recovery codes were generated. The old ones no longer work.")
    ),
    ServiceMail.NEW_POWER: ServiceText(
        _("%(shop)s: a change takes effect in 24 hours"),
        (
            "%(what)s.",
            _(
                "If neither you nor another owner wanted this, undo it in the settings within 24 hours. Then end the "
                "other sessions of the team and inform the operator of paymatch."
            ),
            _("You receive this mail because you are an owner of %(shop)s."),
        ),
        _("Open the settings"),
    ),
}
"""The words of each mail. A mail about a change to a sign-in names `at`, `device` and `address`."""


def send_service_mail(
    kind: ServiceMail, recipient: str, link: str, values: Mapping[str, object], language: str, *, sender: str = ""
) -> None:
    """Sends a mail of the service; `language` "" is that of the page. MailNotSent."""
    chosen = language_among(language) if language else translation.get_language() or "en"
    with translation.override(chosen):
        write_service_mail(kind, recipient, link, values, sender=sender).send()


def write_service_mail(
    kind: ServiceMail, recipient: str, link: str, values: Mapping[str, object], *, sender: str = ""
) -> EmailMultiAlternatives:
    """The mail in the language of the moment, as plain text and HTML.

    `link` "" leaves the button out; `sender` "" is the service.
    """
    text = TEXTS[kind]
    subject = " ".join((str(text.subject) % values).split())
    shown = {
        "subject": subject, "paragraphs": [str(each) % values for each in text.paragraphs], "button": text.button,
        "link": link, "recipient": recipient, "language": translation.get_language(),
    }  # fmt: skip
    plain = render_to_string("area/mail/service.txt", shown).strip() + "\n"
    message = EmailMultiAlternatives(subject, plain, sender or None, [recipient])
    domain = parseaddr(message.from_email)[1].rpartition("@")[2]
    message.extra_headers = {
        "Auto-Submitted": "auto-generated",  # RFC 3834: no automatic answers, please
        "Message-ID": make_msgid(domain=domain),
    }
    message.attach_alternative(render_to_string("area/mail/service.html", shown), "text/html")
    return message


class DoorBackend(BaseEmailBackend):
    """Hands Django's messages to the service's mail door."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        door = open_mail(the_service().settings)
        try:
            return sum(self._send(door, message) for message in email_messages)
        finally:
            door.close()

    def _send(self, door: MailDoor, message: EmailMessage) -> bool:
        content, sender = message.message().as_bytes(), parseaddr(message.from_email)[1]
        try:
            for recipient in message.recipients():
                door.send(OutgoingMail(_FOLDER, uuid4().hex, sender, recipient, content))
        except MailNotSent:
            if not self.fail_silently:
                raise
            return False
        return True
