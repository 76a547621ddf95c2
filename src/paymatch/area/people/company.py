"""Sign-in by the company's OpenID Connect: whom its answer is about, for good from the first sign-in on (D-46)."""

from __future__ import annotations

from typing import Any, NoReturn

import structlog
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.base import AuthProcess
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect

from paymatch.area.language.sentences import in_words
from paymatch.area.people.models import CompanyIdentity, User
from paymatch.area.people.sign_in_audit import record_sign_in
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message

_log = structlog.get_logger("paymatch.area")


class CompanySignInRefused(Refused):
    """The company's answer does not sign anyone in; the text says why."""


class CompanyAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """OpenID Connect signs in known people; it creates no one, and connects nothing else."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Decides who signs in, regardless of the library. A person without an invitation sees that on the page."""
        if sociallogin.state.get("process", AuthProcess.LOGIN) != AuthProcess.LOGIN:
            self._refuse(request, in_words(Message("company-sign-in-failed")))
        issuer = sociallogin.provider.app.settings["server_url"]
        try:
            sociallogin.user = _person_of(request, issuer, sociallogin.account.extra_data)
        except CompanySignInRefused as refusal:
            self._refuse(request, in_words(refusal.message))

    def on_authentication_error(self, request: HttpRequest, *_named: Any, **details: Any) -> None:
        """What went wrong at the company is logged, and the person reads that it did."""
        _log.warning(
            "sign-in by company failed", error=str(details.get("error")), exception=str(details.get("exception"))
        )
        self._refuse(request, in_words(Message("company-sign-in-failed")))

    def _refuse(self, request: HttpRequest, text: str) -> NoReturn:
        record_sign_in(request, AuditAction.SIGN_IN_FAILED, None, {"by": "company"})
        messages.error(request, text)
        raise ImmediateHttpResponse(redirect("account_login"))


def _person_of(request: HttpRequest, issuer: str, answer: dict[str, Any]) -> User:
    """The person of an issuer's subject; at the first sign-in the one with its verified address, from then on theirs.

    CompanySignInRefused for a subject without an invitation, or another one with a known address.
    """
    claims, issuer, subject = _claims_of(issuer, answer)
    bound = CompanyIdentity.objects.filter(issuer=issuer, subject=subject).select_related("user").first()
    if bound is not None:
        return bound.user
    email = claims.get("email")
    # JSON true and nothing else: the text "false" is true for Python.
    is_verified = claims.get("email_verified") is True and isinstance(email, str) and "\0" not in email
    user = User.objects.filter(email__iexact=email, is_active=True).first() if is_verified else None
    if user is None:
        raise CompanySignInRefused(Message("company-sign-in-not-invited"))
    try:
        with transaction.atomic():
            CompanyIdentity.objects.create(user=user, issuer=issuer, subject=subject)
    except IntegrityError:
        raise CompanySignInRefused(Message("company-sign-in-another-account")) from None
    record_sign_in(request, AuditAction.SIGN_IN_CHANGED, user, {"what": "company-account-bound"})
    return user


def _claims_of(configured: str, answer: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
    """(claims, issuer, subject) of an answer; CompanySignInRefused if it names no subject, or two."""
    token, info = answer.get("id_token") or {}, answer.get("userinfo") or {}
    subjects = {each["sub"] for each in (token, info) if isinstance(each.get("sub"), str)}
    issuer = str(token.get("iss") or configured)
    subject = subjects.pop() if len(subjects) == 1 else ""
    if not subject or "\0" in subject or len(subject) > 255 or len(issuer) > 500:
        raise CompanySignInRefused(Message("company-sign-in-failed"))
    return info or token, issuer, subject
