"""Messages of an EBICS bank, and their remedies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "ebics-unreadable": "The bank's answer cannot be read: {what}. Try again; if it stays so, ask the bank",
    "ebics-not-genuine": (
        "The bank's answer ({code}) is not signed by the key that was compared. Fetch the bank's keys again and"
        " compare their fingerprints; until then nothing is exchanged"
    ),
    "ebics-no-answer": "The bank's server gave no answer: {why}. It is tried again",
    "ebics-keys-not-compared": "Compare the fingerprints of the bank's keys first",
    "ebics-uncertain": (
        "The connection broke after the file had left. It is not sent again: the bank's protocol or status report"
        " will say whether the bank has it"
    ),
    "ebics-not-authenticated": (
        "The bank refuses the access data ({code}). Check host, customer and user ID, and whether the bank has"
        " activated the user"
    ),
    "ebics-invalid-request": "The bank does not accept the message ({code}, {said}). Send this line to the support",
    "ebics-internal-error": "The bank's server has a fault ({code}, {said}). It is tried again later",
    "ebics-not-permitted": "The user may not do this ({code}). Ask the bank to permit this order type for the user",
    "ebics-wrong-format": (
        "The bank does not accept the format of the file ({code}, {said}). Check `transfer-version` with the bank"
    ),
    "ebics-unsupported": (
        "The bank does not offer this order ({code}, {said}). Fetch its offer again, or ask for the right service"
    ),
    "ebics-user-state": (
        "The bank has not activated the user, or has suspended it ({code}). Send the signed letter, or ask the bank"
    ),
    "ebics-user-unknown": "The bank does not know the user ({code}). Check host, customer and user ID in its letter",
    "ebics-approval-not-permitted": (
        "Orders of this user cannot wait for an approval at the bank ({code}). Ask the bank for signature class E, or"
        " for the distributed signature"
    ),
    "ebics-bank-keys-changed": (
        "The bank has changed its keys ({code}). Fetch them again and compare their fingerprints; until then nothing"
        " is exchanged"
    ),
    "ebics-host-unknown": "The bank does not know this host ID ({code}). Check it and the address in the bank's letter",
    "ebics-transaction-lost": "The bank has ended the transfer ({code}, {said}). It is tried again from the beginning",
    "ebics-replayed": (
        "The bank has seen this message before, or the clock of this machine is wrong ({code}). Check the clock"
    ),
    "ebics-too-large": "The file is larger than the bank accepts ({code}). Transfer fewer refunds at once",
    "ebics-too-many": "The bank has too many transfers of this user in progress ({code}). It is tried again later",
    "ebics-partner-mismatch": "The file belongs to another customer ID than the user ({code}). Check the customer ID",
    "ebics-key-too-short": "The bank requires longer keys ({code}). Create new keys and initialise again",
    "ebics-certificate-refused": (
        "The bank does not accept the certificate ({code}, {said}). Ask whether it requires one of an authority"
    ),
    "ebics-key-used-twice": "The bank knows one of the keys already ({code}). Create new keys and initialise again",
    "ebics-signature-refused": (
        "The bank does not accept the signature of the file ({code}). Ask whether the user's signature key is active"
    ),
    "ebics-account-not-permitted": (
        "The user may not sign for this account ({code}). Ask the bank to permit the account for the user"
    ),
    "ebics-amount-not-permitted": "The amount is above the user's limit at the bank ({code}). Ask for a higher limit",
    "ebics-signed-twice": "The user has already signed this file ({code}). Nothing is to be done",
    "ebics-other-code": "The bank refuses with {code}: {said}. Ask the bank what it means",
    "ebics-protocol-refused": "The bank's protocol says that it has refused the file",
    "letter-language": "The letter is written in {languages}",
    "ebics-unknown": "There is no EBICS connection {name}",
    "ebics-none": "The shop has no EBICS connection",
    "banks-no-way": "This installation has no way out to banks",
    "ebics-no-h005": "The bank does not offer EBICS 3.0 (H005), only {versions}. Ask it for access by EBICS 3.0",
    "ebics-send-keys-first": "Send the keys to the bank first",
    "ebics-bank-has-not-activated": "The bank has not activated the user yet. Send it the signed letter",
    "ebics-is-active": "This connection is active",
    "ebics-is-suspended": "This connection is suspended. Remove it, and begin with new keys",
    "ebics-id-not-valid": "The ID {name} is not valid",
    "ebics-id-help": "up to 35 letters and digits, as the bank's letter shows it",
    "ebics-times-not-valid": "The times are not valid",
    "ebics-times-help": "one to twelve times of day such as 06:30 12:30",
    "ebics-bank-name": "a name of 1 to 60 characters",
    "ebics-url": "an https:// address, as the bank's letter shows it",
    "ebics-exists": "There is a connection for the user {user} already",
    "ebics-not-in-sandbox": "A sandbox shop has a simulated bank. EBICS is for live shops",
    "ebics-several": "The shop has several EBICS connections: give the id of one of {ids}",
    "ebics-other-fingerprint": (
        "This is not the fingerprint of the key {key} that came. Compare again; if they differ, do not confirm, and"
        " call the bank"
    ),
    "ebics-not-offered": "The bank does not offer this: {what}",
    "ebics-no-transfers": "The bank does not permit transfers (BTU, pain.001) for this user. Ask the bank for it",
    "ebics-not-sent-again": "Only a file that the bank has refused is sent again",
    "ebics-uploads-undecided": (
        "A transfer file is being sent by this connection. Wait until the bank has reported its result"
    ),
    "file-goes-by-ebics": (
        "Transfer file {file} goes to the bank by EBICS. Handing it out would let it be paid twice; take it from EBICS"
        " first"
    ),
    "file-goes-not-by-ebics": "There is no transfer file {file} for EBICS",
    "file-is-at-bank": (
        "Transfer file {file} has left by EBICS. The bank has it, or may have it: its protocol and its statements"
        " decide"
    ),
    "alert-ebics-compare": "{bank} has activated EBICS. Compare the fingerprints of its keys, then the exchange begins",
    "alert-ebics-bank-changed-keys": (
        "{bank} has changed its EBICS keys. Nothing is fetched or sent until a person has compared the new fingerprints"
    ),
    "alert-ebics-failing": (
        "EBICS with {bank} has failed {count} times since {day} {time} UTC, the last time with: {error}"
    ),
    "alert-ebics-silent": "{bank} has not been asked by EBICS since {day}. Check whether the worker is running",
    "alert-ebics-file": "File {file}, which came by EBICS, was not imported: {why}",
    "alert-ebics-uncertain": (
        "The connection broke while transfer file {file} was sent. It is not sent again: the bank's protocol or a"
        " status report decides"
    ),
    "alert-ebics-waits-in-bank": "Transfer file {file} waits in the bank: approve it in your online banking",
    "alert-ebics-refused": "The bank has refused transfer file {file}: {why}",
    "new-power-uploads": "Transfers to {bank} leave by EBICS, switched on by {by}, from {day} {time} UTC on",
}
