"""Why a setting, a name or an account is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "connector-none": "The shop has no connector",
    "connector-unknown": "There is no connector {name}",
    "mapping-column-needs-column-what": "A column {debit} needs the column {amount} of what came in",
    "mapping-settlement-needs-column-with": "A settlement needs a column with the gross or the net amount",
    "mapping-settlement-needs-column-with-day": "A settlement needs a column with the day",
    "mapping-settlement-with-fee-needs": (
        "A settlement with a fee needs columns with the gross and the net amount, which prove it"
    ),
    "mapping-words-kinds-need-column": "Words for kinds need a column that has them",
    "plan-levels": "levels: {text}: {error}",
    "plan-unknown-setting": "A dunning plan has no {name}; it has: {known}",
    "setting-account-needs-name": "The account needs a name of at most {most} letters, digits and signs",
    "setting-account-no-connection": "Account {wanted} has no connection",
    "setting-already-shop-named": "There is already a shop named {name}",
    "setting-another-letter-about-order": "Another letter about this order waits already",
    "setting-base-rates-up-bundled": "The base rates up to {day} are bundled with paymatch",
    "setting-choose-what-do": "Choose what to do",
    "setting-enter-account-iban": "Enter the account's IBAN",
    "setting-file-no-column-columns": "The file has no column {heading}; columns are {headings}",
    "setting-import-was-already-undone": "The import {import_id} was already undone",
    "setting-letter-discarded-before-goes": "A letter is discarded before it is sent; this one is {status}",
    "setting-letter-just-being-written": "The letter is just being written or sent: try again in a moment",
    "setting-mail-from-needed-before": (
        "a sender (mail-from) is needed before mail is sent: the address that customers may reply to"
    ),
    "setting-mail-still-being-sent": "Mail {mail_id} is still being sent: report its result later",
    "setting-may-have-255-printable": "{name} may have 255 printable characters",
    "setting-may-shops-give-id": "{text} may be {count} shops: {names}; give the id",
    "setting-name-account-with-account": "Name the account with --account",
    "setting-name-shop-set-paymatch": "Name the shop, or set PAYMATCH_SHOP. There are {count}: {names}",
    "setting-named-on-or-off": "{name} is on or off",
    "setting-named-one-of": "{name} is one of: {channels}",
    "setting-next-base-rate": "The next base rate is that of {day}",
    "setting-no-field-fields": "There is no field {wanted}; fields are {fields}",
    "setting-no-layout-tables-confirmed": "No layout{named} of tables is confirmed for account {wanted}",
    "setting-no-report-about-mail": "No report about mail {mail_id} waits for an answer",
    "setting-no-shop-yet-paymatch": 'There is no shop yet: paymatch shop create "My shop"',
    "setting-no-such-field": "There is no field {name}; fields are: {fields}",
    "setting-not-base-rate-per": "{percent} is not a base rate: per cent a year with two decimals",
    "setting-not-date-2027-01": "{day} is not a date: 2027-01-01 is expected",
    "setting-not-german-bank-code": "{bank_code} is not a German bank code of eight digits",
    "iban-check-digits": "Invalid checksum digits",
    "iban-length": "Invalid IBAN length",
    "setting-not-valid-iban": "{text} is not a valid IBAN: {error}",
    "setting-number-days-from-1": "{name} is a number of days from 1 to {most}, or off",
    "setting-only-refused-letters-tried": "Only refused letters are tried again; this one is {status}",
    "setting-only-refused-mail-tried": (
        "Only refused mail is tried again, and mail that came back; this one is {status}"
    ),
    "setting-provider-needs-name": "The provider needs a name",
    "setting-qr-iban-register-account": "{iban} is a QR-IBAN, register the account's IBAN as well",
    "setting-say-what-file-which": "State what the file is and which account it is for",
    "setting-shop-needs-name-1": "The shop needs a name of 1 to 255 characters",
    "setting-shop-no-connection-bank": "The shop has no connection to a bank",
    "setting-shop-no-key": "The shop has no key {key_id}",
    "setting-shop-no-letter": "The shop has no letter {letter_id}",
    "setting-shop-no-mail": "The shop has no mail {mail_id}",
    "setting-shop-several-connectors-give": "The shop has several connectors: give the name of one of {names}",
    "setting-texts-0-payment-information": (
        "Texts are of 0 (payment information), levels 1 to {most}, {several} or {thanks}, not of {kind}"
    ),
    "setting-texts-written-not": "Texts are written in {languages}, not in {language}",
    "setting-unknown": "There is no setting {name}; settings are: {settings}",
    "setting-unknown-column-known-kind": "Unknown column {name}; known are {columns}, kind:WORD and signs",
    "setting-unknown-country": "Unknown country {country}",
    "setting-unknown-currency": "Unknown currency {currency}",
    "setting-unknown-kind-known": "Unknown kind {kind}; known are {movementkinds}",
    "setting-unknown-order-type": "There is no type {kind}: {types}",
    "setting-unknown-provider-known": "Unknown provider {provider}; known are {providers}",
    "setting-unknown-scope": "There is no scope {scope}; scopes are: {names}",
    "setup-step-cannot-skipped": "This step cannot be skipped",
    "shop-unknown": "There is no shop {shop}",
    "trial-did-not-take-mail": "{server} did not take the mail: {error}",
    "trial-mail-sandbox-shops-never": "Mail of sandbox shops is never sent",
    "trial-not-address-mail-can": "{address} is not an address that mail can be sent to",
    "trial-shop-no-address-mail": "The shop has no address for mail: set mail-from",
    "words-dollar-sign-stands-before": "a dollar sign comes before a placeholder, or is written $$",
    "words-placeholders-conditions-can-used": "placeholders and conditions can be used, not {name}",
    "words-texts-alone-can-compared": 'texts alone can be compared, as in {% if level == "2" %}',
    "agency-name-needed": "name is needed: the agency's, as the API shows it",
    "agency-mail-needed": "address is needed: the mail address that takes new cases",
    "agency-url-needed": "address is needed: the URL that takes new cases",
}
