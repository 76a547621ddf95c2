"""Our settings of allauth: no self-registration, sign-in events are recorded, rate limits apply.

Mails with links are sent only with an address of ours that the request cannot choose (D-46).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from paymatch.area.language.figures import moment
from paymatch.area.mail import ServiceMail, send_service_mail
from paymatch.area.people.cooling_off import gains_factor
from paymatch.area.people.known_browsers import CODE, PASSWORD, begin_guess, is_known, remember
from paymatch.area.people.models import User
from paymatch.area.people.sessions import device_name
from paymatch.area.people.sign_in_audit import record_sign_in
from paymatch.area.service import the_service
from paymatch.domain.shops.audit import INSTALLATION, Actor, ActorKind, AuditAction
from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.settings import is_loopback
from paymatch.store.sealing import SECOND_FACTOR

SECOND_FACTORS: Final = "mfa_reauthenticate"
"""How allauth's names of the ways by a second factor begin."""
NEW_FACTORS: Final = {
    "mfa/email/totp_activated": "totp",
    "mfa/email/webauthn_added": "webauthn",
    "mfa/email/recovery_codes_generated": "",
}
"""allauth's mail about a new second factor -> the kind that was just proved to work, if any."""
PASSKEY: Final = "mfa_reauthenticate:webauthn"

_log = structlog.get_logger("paymatch.area")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """People are invited; there is no open registration."""

    error_messages: ClassVar[dict[str, Any]] = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": _(
            "Too many failed attempts. Try again in five minutes, use a passkey, or ask for a link to a new password."
        )
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Where a new password leads: over the sign-in with it to where the person was."""
        return reverse("home")

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """How the person proves again who they are: by a second factor alone where there is one, a passkey first."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        factors = [each for each in methods if each["id"].startswith(SECOND_FACTORS)]
        return sorted(factors, key=lambda each: each["id"] != PASSKEY) or methods

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that our front found, for the limits on attempts."""
        return request.META.get("REMOTE_ADDR", "") or "unknown"

    def login(self, request: HttpRequest, user: User) -> None:
        """Signs in, which is recorded with the ways in which the person proved who they are.

        From a browser that they have not used before, a mail says so; the first sign-in of all is none of these.
        """
        is_news = user.last_login is not None and not is_known(request, user)
        super().login(request, user)
        remember(request, user)
        if is_news:
            self._tell(ServiceMail.NEW_SIGN_IN, user)
        methods = [each["method"] for each in get_authentication_records(request, user)]
        record_sign_in(request, AuditAction.SIGNED_IN, user, {"by": methods or ["link"]})

    def logout(self, request: HttpRequest) -> None:
        """Signs out, which is recorded."""
        record_sign_in(request, AuditAction.SIGNED_OUT, request.user)
        super().logout(request)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Records a wrong password or address; the address only if someone has it."""
        known = User.objects.filter(email__iexact=credentials.get("email", "")).first()
        record_sign_in(request, AuditAction.SIGN_IN_FAILED, known, {"by": "password"})

    def send_notification_mail(self, template_prefix: str, user: User, *more: Any, **named: Any) -> None:
        """Records that a password or second factor was set, changed or removed, with or without a mail."""
        what = template_prefix.rpartition("/")[2].replace("_", "-")
        record_sign_in(self.request, AuditAction.SIGN_IN_CHANGED, user, {"what": what})
        if template_prefix in NEW_FACTORS:
            actor = Actor(ActorKind.PERSON, user.email, self.request.META.get("REMOTE_ADDR", ""))
            gains_factor(user, the_service().database.acting_as(actor))
            if NEW_FACTORS[template_prefix]:
                kind = NEW_FACTORS[template_prefix]
                record_authentication(self.request, user, method="mfa", type=kind, reauthenticated=True)
        self._tell(ServiceMail(template_prefix.rpartition("/")[2]), user)

    def _tell(self, kind: ServiceMail, user: User) -> None:
        """Mails the person about a change of their sign-in; a failing mail server undoes nothing."""
        language = user.language or translation.get_language() or "en"
        with translation.override(language):
            device = device_name(self.request.headers.get("User-Agent", ""))
            at = moment(the_service().clock())
        values = {"at": at, "device": device, "address": self.get_client_ip(self.request)}
        try:
            send_service_mail(kind, user.email, f"{the_service().base(self.request)}/login", values, language)
        except MailNotSent as error:
            _log.warning("a mail about a sign-in was not sent", error=str(error))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Sends a mail; where the server takes none a page says so, the same for known and unknown addresses."""
        try:
            kind = ServiceMail(template_prefix.rpartition("/")[2])
            link = context.get("password_reset_url") or f"{the_service().base(self.request)}/login"
            values = {"days": settings.PASSWORD_RESET_TIMEOUT // 86_400}
            send_service_mail(kind, email, link, values, getattr(context.get("user"), "language", ""))
        except MailNotSent as error:
            _log.warning("a mail of the sign-in was not sent", error=str(error))
            raise ImmediateHttpResponse(render(self.request, "area/mail_not_sent.html", status=503)) from error

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        """Sends the link, unless the requester could choose the server that it leads to."""
        link = urlsplit(context["password_reset_url"])
        if not the_service().settings.base_url and not is_loopback(link.hostname or ""):
            _log.warning("no link to a new password is sent: PAYMATCH_BASE_URL is not set")
            return
        super().send_password_reset_mail(user, email, context)

    def is_safe_url(self, url: str) -> bool:
        """Whether an address in a request leads to us; an invalid one, such as `//[::1`, does not."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Counts the attempt; `authenticate` takes it back if the password is right (`known_browsers.py`)."""
        email = str(credentials.get("email") or getattr(request.user, "email", "")).lower()
        known = User.objects.filter(email__iexact=email).first()
        self._login_failed_rl_usage = begin_guess(request, PASSWORD, email, known)
        if self._login_failed_rl_usage is None:
            raise self.validation_error("too_many_login_attempts")


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets of second factors are sealed in the database as all others."""

    def encrypt(self, text: str) -> str:
        return the_service().database.keyring.vault(INSTALLATION.id).seal(SECOND_FACTOR, text)

    def decrypt(self, encrypted_text: str) -> str:
        return the_service().database.keyring.vault(INSTALLATION.id).open(SECOND_FACTOR, encrypted_text)


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]
    """Ending sessions elsewhere is recorded."""

    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        ended = list(sessions)
        super().end_sessions(ended)
        if ended:
            record_sign_in(self.request, AuditAction.SESSIONS_ENDED, ended[0].user, {"sessions": len(ended)})


class _Recording:
    """A form for a code of a second factor: a wrong one is recorded."""

    user: User

    def clean_code(self) -> str:
        request = FactorAdapter().request
        guess = begin_guess(request, CODE, str(self.user.pk), self.user)
        if guess is None:
            raise AccountAdapter(request).validation_error("too_many_login_attempts")
        try:
            code: str = super().clean_code()  # type: ignore[misc]  # the form beside this class has it
        except ValidationError:
            record_sign_in(request, AuditAction.SIGN_IN_FAILED, self.user, {"by": "second factor"})
            raise
        guess.rollback()
        return code


class FactorForm(_Recording, AuthenticateForm):  # type: ignore[misc]
    """The code at sign-in."""


class FactorAgainForm(_Recording, ReauthenticateForm):  # type: ignore[misc]
    """The code before something that needs a fresh proof."""


class NewFactorForm(ActivateTOTPForm):  # type: ignore[misc]
    """The code that sets up an authenticator app: it is used up, so that who reads it does not sign in with it."""

    def clean_code(self) -> str:
        code: str = super().clean_code()
        app = TOTP(Authenticator(user=self.user))
        if not app._mark_code_used(code):  # the library has no public name for it
            raise FactorAdapter().validation_error("incorrect_code")
        return code
