"""Texts of allauth whose own German is informal or poor: repeated here so that our catalogue translates them."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TEXTS: Final[tuple[str | Promise, ...]] = (
    _("Please type your current password."), _("Be patient, you are sending too many requests."),
    _("You must type the same password each time."), _("Your account has no password set up."),
    _("Your account has no verified email address."), _("Are you sure you want to sign out?"),
    _("You have signed out."), _("Your password has been changed."), _("Your password is now changed."),
    _("You are already logged in as %(user_display)s."),
    _("You are about to generate a new set of recovery codes for your account."),
    _("You are about to deactivate authenticator app based authentication. Are you sure?"),
    _("You are about to sign in using a third-party account from %(provider)s."),
    _("Sign In"), _("Set Password"), _("Use a security key"), _("Alternative options"),
    _("Recovery Codes"),
)  # fmt: skip
"""As allauth has them, word for word."""
