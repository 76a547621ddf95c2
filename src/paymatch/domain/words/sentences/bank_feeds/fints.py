"""Messages of a FinTS bank, and their remedies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "fints-no-answer": "The bank's server gave no answer: {why}",
    "fints-http-status": "The bank's server answered with HTTP status {status}. Check the FinTS address",
    "fints-endless": "The bank always has more to send: the dialogue was ended",
    "fints-too-long": "The bank's answer is too long",
    "fints-unreadable": "The server's answer is not FinTS. Check the FinTS address",
    "fints-locked": (
        "The bank has locked this user. Unlock the user in your online banking, or call the bank; then fetch again"
    ),
    "fints-dialogue-closed": "The bank has ended the dialogue. Begin again",
    "fints-tan-refused": "The bank refuses the TAN ({said}). Begin again with a new TAN",
    "fints-no-medium": "The bank knows no TAN device of this user. Register one in your online banking",
    "fints-picture-unreadable": ("The bank's picture for the TAN cannot be shown. Choose another way to get TANs"),
    "fints-late": "The bank's question was not answered within {minutes} minutes. Begin again",
    "fints-stopped": "Stopped by {person}",
    "fints-payees-refused": "Stopped, because the bank's answer on the payees was not accepted. Nothing was sent",
    "fints-lost": (
        "The service was restarted, and the dialogue with the bank has ended. The PIN is not kept: begin again"
    ),
    "fints-failed": "The program failed. The operator finds the reason in the log",
    "fints-no-extra": ("FinTS is not installed on this server. Ask its operator to install it"),
    "fints-no-product": (
        "The operator of this server has not named a registered FinTS product yet. Banks refuse programs without one"
    ),
    "fints-dialogue-open": "A dialogue with the bank is open. Finish or stop it first",
    "fints-busy": "Too many dialogues with banks are open. Try again in a few minutes",
    "fints-no-dialogue": "There is no dialogue with a bank of this number",
    "fints-not-asked": "The bank no longer asks this question",
    "fints-choose-accounts": "Choose at least one account",
    "fints-one-login": "Choose accounts of one user at one bank: the PIN is theirs",
    "fints-enter-pin": "Enter the PIN",
    "fints-enter-tan": "Enter the TAN",
    "fints-choose-option": "Choose one of the options",
    "fints-other-person": "Only {person}, who began this dialogue, may answer the bank",
    "fints-sandbox": "A sandbox shop has a simulated bank. FinTS is for live shops",
    "fints-euro-only": "By FinTS only transfers in euro can be sent. Take the file to your online banking",
    "fints-no-transfers": "The bank takes no such transfers by FinTS from this user ({order})",
    "fints-other-version": (
        "The bank does not take {version} by FinTS, but: {offered}. Change `transfer-version` and discard the file"
    ),
    "fints-no-payee-answer": "The bank did not answer the payee check. Nothing was sent",
    "fints-file-unknown": "There is no transfer file {file} that could be sent",
    "fints-file-ebics": "Transfer file {file} goes by EBICS. Take it from there first",
    "fints-file-taken": (
        "Transfer file {file} was handed out before. Say first that it was not uploaded in online banking"
    ),
    "fints-file-sent": "Transfer file {file} has left by FinTS. The bank has it, or may have it",
    "fints-file-not-open": "Nothing is to be decided of transfer file {file}",
    "fints-not-executed": "The bank has not executed the order ({said})",
    "fints-uncertain": (
        "The dialogue broke after the file had left. It is not sent again automatically: look into the list of"
        " transfers in your online banking"
    ),
    "fints-not-sent": "The file was not sent: {why}",
    "alert-fints-uncertain": (
        "It is not known whether the bank has transfer file {file}. Check your online banking, and state on the"
        " page of the file whether it is there"
    ),
}
