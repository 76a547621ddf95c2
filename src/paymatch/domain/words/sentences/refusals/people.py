"""Why a person's account or data is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "address-not-wrong-person": "No recipient at {email} has said to be the wrong person",
    "bank-details-not-taken": "Bank details not taken: {reasons}",
    "company-sign-in-another-account": (
        "Your company reports another account for this address than before. Ask for a reset of your sign-in."
    ),
    "company-sign-in-failed": "The sign-in at your company did not succeed. Please try again.",
    "person-data-not-been-deleted": "The data of {name} has not been deleted",
    "user-delete-view-first-already": "Delete a view first: there are {most} already",
    "user-filter-too-long-kept": "The filter is too long to save",
    "user-give-view-name-first": "Give the view a name first",
    "user-in-team-already": "{email} is in the team already",
    "user-nobody-with-address": "There is no account with the address {email}",
    "user-not-e-mail-address": "{email} is not an e-mail address",
    "user-password-needs-least-10": "A password needs at least 10 characters",
    "user-person-not-team": "This person is not in the team",
    "user-person-role-does-not": "This person or role does not exist",
    "user-shop-needs-owner-make": "The shop needs an owner: make another person an owner first",
    "user-signed-in-already": "{email} has signed in already",
    "company-sign-in-not-invited": "No account has the address that your company names. Ask for an invitation.",
}
