"""Messages of account information by a provider, and their remedies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "consent-unknown": "The shop has no account information of the id {name}",
    "consent-none": "The shop has no account information yet",
    "consent-several": "The shop has several connections: name one of {ids}",
    "consent-not-active": "There is no consent in force. Renew it at the bank first",
    "consent-times": "Name at most {most} times of day: a bank has to bear no more reads",
    "consent-not-in-sandbox": "A sandbox shop has a simulated bank. Account information is for live shops",
    "consent-no-key": "Enter the id and the private key of your application at the provider first",
    "consent-key-unreadable": (
        "This is not a private RSA key (PEM) of at least {bits} bits without a password. Take the file that was made"
        " with the application"
    ),
    "consent-application-id": "Enter the id of the application, as the provider shows it",
    "consent-provider": "Choose one of these providers: {names}",
    "consent-country": "Enter the country as two letters, such as DE",
    "consent-bank-unknown": "The provider reaches no bank of this name in {country}: {bank}. Choose one of its list",
    "consent-bank-for-people": "This bank hands out accounts of people only. Choose private accounts if yours is one",
    "consent-no-way": "Account information is not set up in this installation",
    "consent-no-answer": "The provider gave no answer: {why}. It is tried again",
    "consent-answer-unreadable": "The provider's answer cannot be read ({what}). It is tried again",
    "consent-pages-broken": (
        "The pages of the account's transactions contradict each other. Nothing of this read is booked. It is tried"
        " again"
    ),
    "consent-gone": "The bank's consent is not in force any more ({code}). Renew it",
    "consent-account-gone": (
        "The bank does not hand out this account any more ({code}). Renew the consent and choose the account, or remove"
        " it from the list"
    ),
    "consent-not-given": "The bank has not given the consent ({why}). Begin again",
    "consent-period": "The bank does not look back so far ({code})",
    "consent-limit": "The bank accepts no more requests at present. paymatch tries again later",
    "consent-access-refused": (
        "The provider does not accept the application's key ({said}). Check the id of the application, its key, whether"
        " it is active, and the clock of this machine"
    ),
    "consent-return-not-allowed": (
        "The provider does not know this service's return address. Enter it among the redirect URLs of your application"
    ),
    "consent-return-unknown": "This return from the bank is not known here, was used, or is too old. Begin again",
    "consent-reads-used": "The account was read {most} times today. It is read again on {day}",
    "consent-account-not-offered": "The consent does not cover this account: {account}",
    "consent-account-taken": "Another connection reads this account already: {account}",
    "alert-consent-lost": (
        "{bank}: the bank hands out no more statements, because the consent is not in force any more ({why}). Renew it"
    ),
    "alert-consent-renew": "{bank}: the consent to read statements ends on {day}. Renew it at the bank",
    "alert-consent-failing": (
        "{bank}: statements were not read {count} time in a row, since {day} {time} UTC: {error}",
        "{bank}: statements were not read {count} times in a row, since {day} {time} UTC: {error}",
    ),
    "alert-consent-silent": "{bank}: account {account} was last read on {day}",
    "alert-consent-account": "{bank}: account {account} is not handed out any more: {error}",
    "alert-consent-file": "What was read of an account cannot be imported ({file}): {why}",
}
