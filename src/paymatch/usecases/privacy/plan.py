"""Retention plan: kinds of data, periods and reasons; for the command line, the merchant area, docs/privacy.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from paymatch.domain.plurals import count_of
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.privacy import periods as store
from paymatch.store.privacy.periods import Periods
from paymatch.usecases.privacy.retention import RULES

FOREVER: Final = "for ever"


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """A kind of data, how long it is kept, and why. `setting`: the one with which `paymatch shop set` changes it."""

    data: str
    kept: str
    why: str
    setting: str = ""


DEFAULTS: Final = Periods(
    keep_payer_days=730,
    keep_order_years=10,
    keep_deleted_days=30,
    keep_invoice_days=None,
    keep_drop_days=None,
    deleted_at=None,
    purged_at=None,
)
"""Of a new shop (migration 0062)."""


def plan(database: Database, shop: Shop) -> list[dict[str, str]]:
    """The shop's retention plan."""
    with database.of_shop(shop) as tx:
        found = store.periods(tx)
    rows = retention_rules(found, shop)
    return [{"data": row.data, "kept": _with_setting(row), "why": row.why} for row in rows]


def retention_rules(found: Periods, shop: Shop) -> list[RetentionRule]:
    """The retention plan of a shop with these periods."""
    return [*_of_books(found), *_of_rules(shop)]


def _with_setting(row: RetentionRule) -> str:
    return f"{row.kept} ({row.setting})" if row.setting else row.kept


def _of_books(found: Periods) -> Iterator[RetentionRule]:
    yield RetentionRule(
        "amounts, days, states and numbers of orders, postings and refunds", FOREVER,
        "the books, which name no one once the periods below are over",
    )  # fmt: skip
    yield RetentionRule(
        "who ordered: names, addresses, notes, accounts of refunds, invoices",
        "for ever" if found.keep_order_years is None else
        f"{count_of(found.keep_order_years, 'year')} after the last change of a settled order",
        "tax law: vouchers for eight, books for ten years in Germany", "keep-order-years",
    )  # fmt: skip
    yield RetentionRule(
        "who paid: names, accounts and texts of postings",
        "for ever" if found.keep_payer_days is None else f"{_days(found.keep_payer_days)} after the booking",
        "to match, to refund, and to answer questions; the order says who it was for", "keep-payer-days",
    )  # fmt: skip
    yield RetentionRule(
        "remittance advices",
        "for ever" if found.keep_payer_days is None else f"{_days(found.keep_payer_days)} after they came",
        "to explain payments; what they decided is in the books", "keep-payer-days",
    )  # fmt: skip
    yield RetentionRule("payers that matching has learnt", "as long as a posting of theirs is", "to match the next one")
    yield RetentionRule(
        "invoices, if sooner than who ordered",
        "as long as that" if found.keep_invoice_days is None else f"{_days(found.keep_invoice_days)} after the upload",
        "to send them along with reminders; your own system keeps the original", "keep-invoice-days",
    )  # fmt: skip
    yield RetentionRule(
        "imported bank files in the drop folder",
        FOREVER if found.keep_drop_days is None else _days(found.keep_drop_days),
        "the originals, which are yours to file or to delete", "keep-drop-days",
    )  # fmt: skip
    yield RetentionRule("the audit log", FOREVER, "proof of who did what; values of erased people are emptied")
    yield RetentionRule(
        "everything, once the shop is deleted", _days(found.keep_deleted_days), "time to change one's mind",
        "keep-deleted-days",
    )  # fmt: skip


def _of_rules(shop: Shop) -> Iterator[RetentionRule]:
    for rule in RULES:
        kept = rule.kept(shop)
        setting = "keep-mail-days" if rule.kept.__name__ == "_mails_kept" else ""
        yield RetentionRule(rule.many, FOREVER if kept is None else _days(kept.days), rule.why, setting)


def _days(days: int) -> str:
    return count_of(days, "day") if days else "no longer than that"
