"""All pages of an account, each transaction once: providers repeat pages, or name a page that was there before."""

from __future__ import annotations

import time
from datetime import date
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.formats.account_information import ReportedTransaction
from paymatch.outbound.account_information.provider import AccountInformationFailed, AccountInformationProvider

MOST_PAGES: Final = 1000
MOST_BYTES: Final = 48 * 1024 * 1024
"""Of all pages of a read: 90 days of a shop with a thousand bookings a day."""

MOST_SECONDS: Final = 600
"""Of a read: a slow provider delays other work no longer than this."""


def all_transactions(provider: AccountInformationProvider, handle: str, since: date) -> list[ReportedTransaction]:
    """Everything that is booked since that day, in order. AccountInformationFailed where pages contradict each other.

    What comes again under its reference, the same in all that it says, is the same transaction. Without references a
    repeated page looks like equal payments: then the read fails, and is tried again. So does one that is longer or
    slower than any account of a shop explains.
    """
    found: list[ReportedTransaction] = []
    named: set[ReportedTransaction] = set()
    nameless: set[tuple[ReportedTransaction, ...]] = set()
    asked, following = {""}, ""
    length, until = 0, time.monotonic() + MOST_SECONDS
    for _ in range(MOST_PAGES):
        page = provider.transactions(handle, since, following)
        length += page.length
        if length > MOST_BYTES or time.monotonic() > until:
            raise AccountInformationFailed(Message("consent-answer-unreadable", what="length"))
        without = tuple(each for each in page.transactions if not each.reference)
        if len(without) > 1 and without in nameless:
            raise AccountInformationFailed(Message("consent-pages-broken"))
        nameless.add(without)
        found += [each for each in dict.fromkeys(page.transactions) if each.reference and each not in named]
        found += without
        named.update(each for each in page.transactions if each.reference)
        following = page.following
        if not following:
            return found
        if following in asked:
            break
        asked.add(following)
    raise AccountInformationFailed(Message("consent-pages-broken"))
