"""Mail of the service itself: its texts in both languages, as HTML and plain text with a button, and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parseaddr
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


_NOT_YOU: Final = _("If that was not you, choose another password at once and tell the owner of your shop.")
_SIGN_IN: Final = _("Sign in")


def _changed_subject_text(subject: str | Promise, *paragraphs: str | Promise) -> ServiceText:
    return ServiceText(subject, (*paragraphs, _NOT_YOU), _SIGN_IN)


_NEW_PASSWORD: Final = _changed_subject_text(
    _("Your password is new"), _("You sign in with the new password from now on.")
)

TEXTS: Final[Mapping[ServiceMail, ServiceText]] = {
    ServiceMail.INVITATION: ServiceText(
        _("%(shop)s: you are invited"),
        (
            _("%(by)s has invited you to %(shop)s on paymatch."),
            _("The button leads to a page on which you choose your password. It works for %(days)s days."),
        ),
        _("Accept the invitation"),
    ),
    ServiceMail.INVITED_AGAIN: ServiceText(
        _("%(shop)s: you are in the team"),
        (
            _("%(by)s has added you to the team of %(shop)s on paymatch."),
            _("Sign in as usual: the shop is in your list."),
        ),
        _SIGN_IN,
    ),
    ServiceMail.PASSWORD_RESET_KEY: ServiceText(
        _("A new password for paymatch"),
        (
            _("We received a request for a new password for this address."),
            _("If it was not you, do nothing: your password stays as it is."),
        ),
        _("Choose a new password"),
    ),
    ServiceMail.UNKNOWN_ACCOUNT: ServiceText(
        _("A new password for paymatch"),
        (
            _("We received a request for a new password, but no account uses this address."),
            _("Try another of your addresses, or ask the owner of your shop for an invitation."),
        ),
        _SIGN_IN,
    ),
    ServiceMail.PASSWORD_RESET: _NEW_PASSWORD,
    ServiceMail.PASSWORD_CHANGED: _NEW_PASSWORD,
    ServiceMail.PASSWORD_SET: _changed_subject_text(
        _("Your password is set"), _("You can sign in with a password from now on.")
    ),
    ServiceMail.NEW_SIGN_IN: _changed_subject_text(
        _("New sign-in to paymatch"),
        _("You have signed in from a browser that was not used before: %(browser)s, address %(address)s."),
    ),
    ServiceMail.TOTP_ACTIVATED: _changed_subject_text(
        _("Second factor set up"), _("An authenticator app is now asked for when you sign in.")
    ),
    ServiceMail.TOTP_DEACTIVATED: _changed_subject_text(
        _("Second factor removed"), _("The authenticator app is no longer asked for when you sign in.")
    ),
    ServiceMail.WEBAUTHN_ADDED: _changed_subject_text(
        _("Passkey added"), _("You can sign in with a new passkey from now on.")
    ),
    ServiceMail.WEBAUTHN_REMOVED: _changed_subject_text(_("Passkey removed"), _("A passkey no longer signs you in.")),
    ServiceMail.RECOVERY_CODES_GENERATED: _changed_subject_text(
        _("New recovery codes"), _("Your recovery codes are new, and the old ones no longer work.")
    ),
    ServiceMail.NEW_POWER: ServiceText(
        _("%(shop)s: a change takes effect in a day"),
        (
            "%(what)s.",
            _(
                "You get this mail as an owner of %(shop)s on paymatch. If it was none of you, undo "
                "it in the settings within the day, end the other sessions of the team, and tell the operator."
            ),
        ),
        _("Open the settings"),
    ),
}


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
    """The mail in the language of the moment, as plain text and HTML, each with the link; `sender` "": the service."""
    text = TEXTS[kind]
    subject = " ".join((str(text.subject) % values).split())
    shown = {
        "subject": subject, "paragraphs": [str(each) % values for each in text.paragraphs], "button": text.button,
        "link": link, "language": translation.get_language(),
    }  # fmt: skip
    plain = render_to_string("area/mail/service.txt", shown)
    message = EmailMultiAlternatives(subject, plain, sender or None, [recipient])
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
