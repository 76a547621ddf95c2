"""How allauth behaves here: nobody signs up by themselves, links of mails carry our address."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.http import HttpRequest

from paymatch.area.people.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """People are invited; there is no open registration."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """How the person proves again who they are: by the second factor alone where there is one."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [each for each in methods if each["id"] == "mfa_reauthenticate"] or methods

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that our front found, for the limits on attempts."""
        return request.META.get("REMOTE_ADDR", "") or "unknown"


class CompanyAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """OpenID Connect signs in people who are known here by a verified address; it creates nobody."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False
