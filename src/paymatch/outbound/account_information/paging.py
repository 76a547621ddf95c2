"""All pages of an account, each transaction once: providers repeat pages, or name a page that was there before."""

from __future__ import annotations

from datetime import date
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.formats.account_information import ReportedTransaction
from paymatch.outbound.account_information.provider import AccountInformationFailed, AccountInformationProvider

MOST_PAGES: Final = 1000


def all_transactions(provider: AccountInformationProvider, handle: str, since: date) -> list[ReportedTransaction]:
    """Everything that is booked since that day, in order. AccountInformationFailed where pages contradict each other.

    What comes again under its reference, the same in all that it says, is the same transaction. Without references
    nobody can tell a page that comes again from equal payments: then the read fails, and is tried again.
    """
    found: list[ReportedTransaction] = []
    named: set[ReportedTransaction] = set()
    nameless: set[tuple[ReportedTransaction, ...]] = set()
    asked, following = {""}, ""
    for _ in range(MOST_PAGES):
        page = provider.transactions(handle, since, following)
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
