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
    _("Please contact us if you have any trouble resetting your password."),
    _("Forgotten your password? Enter your email address below, and we'll send you an email allowing you to reset it."),
    _(
        "We have sent you an email. If you have not received it please check your spam folder. Otherwise contact us if"
        " you do not receive it in a few minutes."
    ),
    _(
        "The password reset link was invalid, possibly because it has already been used.  Please request a"
        ' <a href="%(passwd_reset_url)s">new password reset</a>.'
    ),
    _(
        "You're receiving this email because you or someone else has requested a password reset for your user"
        " account.\nIt can be safely ignored if you did not request a password reset. Click the link below to reset"
        " your password."
    ),
    _("You are already logged in as %(user_display)s."),
    _("You are about to generate a new set of recovery codes for your account."),
    _("You are about to deactivate authenticator app based authentication. Are you sure?"),
    _("You are about to sign in using a third-party account from %(provider)s."),
    _("Sign In"), _("Set Password"), _("Bad Token"), _("Use a security key"), _("Alternative options"),
    _("Recovery Codes"),
)  # fmt: skip
"""As allauth has them, word for word."""
