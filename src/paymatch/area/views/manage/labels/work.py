"""Labels of due work and counters: the installation's page shows no codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

_JOBS: Final[Mapping[str, Promise]] = {
    "refund-run": gettext_lazy("Put refunds into transfer files"),
    "matching": gettext_lazy("Match postings to orders"),
    "mail": gettext_lazy("Send reminders and payment information"),
    "refund-requests": gettext_lazy("Ask customers for bank details"),
    "letters": gettext_lazy("Write and send letters"),
    "connectors": gettext_lazy("Fetch orders from shop systems, write payments back"),
    "replay": gettext_lazy("Replay the past of a shop"),
    "account-information": gettext_lazy("Read accounts by account information"),
    "ebics": gettext_lazy("Exchange files with banks by EBICS"),
    "print-run": gettext_lazy("Put letters into one file for the printer"),
    "exports": gettext_lazy("Write scheduled exports"),
    "collection": gettext_lazy("Hand orders over to collection, let unpaid ones lapse"),
    "alerts": gettext_lazy("Raise and close alerts"),
    "search": gettext_lazy("Keep texts that are searched up to date"),
    "order-keys": gettext_lazy("Renew what payments find orders by"),
    "retention": gettext_lazy("Delete what is not kept"),
}
_TALLIES: Final[Mapping[str, Promise]] = {
    "callback attempts delivered": gettext_lazy("Callback attempts delivered"),
    "callback attempts failed": gettext_lazy("Callback attempts failed"),
    "callbacks given up": gettext_lazy("Callbacks given up"),
    "postings matched": gettext_lazy("Decisions: matched automatically"),
    "postings suggested": gettext_lazy("Decisions: suggested to a person"),
    "postings unmatched": gettext_lazy("Decisions: no candidate"),
    "suggested": gettext_lazy("Postings that wait with a suggestion"),
    "unmatched": gettext_lazy("Postings that wait without a candidate"),
}


def job_words(kind: str) -> str | Promise:
    """What a job does; its code where it is none of ours."""
    return _JOBS.get(kind, kind)


def tally_words(name: str) -> str | Promise:
    """What is counted."""
    return _TALLIES.get(name, name)
