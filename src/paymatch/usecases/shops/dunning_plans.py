"""A shop's dunning plan and its own words: read, changed, kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from paymatch.domain.money import Currency
from paymatch.domain.orders.consumer_credit import COUNTRIES, free_days
from paymatch.domain.reminders.dunning_plan import MAX_LEVELS, DunningPlan, PlanRefused, changed_plan, plan_in_words
from paymatch.domain.reminders.payment_date import PaymentTerms
from paymatch.domain.reminders.policy import Switches
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.formats.mail.texts import SEVERAL, THANKS, TextRefused, Wording, checked_wording, usual_wording
from paymatch.store.reminders import mails, reminders
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record

_KINDS: Final = frozenset({*map(str, range(MAX_LEVELS + 1)), SEVERAL, THANKS})
ASKS: Final = "plan-term-is-credit"
"""The code of a refusal that is a question: `credit_accepted` answers it."""
_DECODE: Final = msgspec.json.Decoder(DunningPlan).decode


def plan_of(tx: ShopTx) -> DunningPlan:
    """The shop's plan, or the default."""
    text = mails.plan(tx)
    return _DECODE(text) if text else DunningPlan()


def switches_of(shop: Shop) -> Switches:
    """Which mails and letters the shop has switched on."""
    return Switches(shop.payment_information, shop.reminders, shop.letters, shop.payment_thanks)


def show_plan(tx: ShopTx) -> dict[str, str]:
    """The shop's plan as settings."""
    return plan_in_words(plan_of(tx), Currency(tx.shop.currency))


def term_beyond_credit(tx: ShopTx, settings: Mapping[str, str]) -> int | None:
    """The days from which a new term of orders without due date is a consumer credit; None: it is not one, or not new.

    PlanRefused, as by `change_plan`.
    """
    before = plan_of(tx)
    plan = changed_plan(before, settings, Currency(tx.shop.currency))
    free = free_days(is_large_seller=shops.is_large_seller(tx))
    is_asked = plan.term_days > free and plan.term_days != before.term_days and tx.shop.country in COUNTRIES
    return free if is_asked else None


def change_plan(tx: ShopTx, settings: Mapping[str, str], *, credit_accepted: bool = True) -> dict[str, str]:
    """Changes the plan; all open orders are checked again. Returns the new plan. PlanRefused.

    Without `credit_accepted` a term that makes orders of consumers a credit is also refused (D-131).
    """
    free = None if credit_accepted else term_beyond_credit(tx, settings)
    if free is not None:
        raise PlanRefused(Message(ASKS, free=free), parameter="term-days")
    before = plan_of(tx)
    plan = changed_plan(before, settings, Currency(tx.shop.currency))
    mails.save_plan(tx, msgspec.json.encode(plan, enc_hook=as_text).decode())
    reminders.look_at_all(tx)
    said = plan_in_words(plan, Currency(tx.shop.currency))
    was = plan_in_words(before, Currency(tx.shop.currency))
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, "dunning-plan", before=was, after=said)
    return said


def texts(tx: ShopTx) -> list[dict[str, Any]]:
    """The wording of each kind of mail in each language, and whether it is the shop's own."""
    own, levels = mails.texts(tx), len(plan_of(tx).levels)
    return [
        {
            "mail": kind, "language": language, "own": (kind, language) in own, "subject": found.subject,
            "body": found.body,
        }
        for kind in (*map(str, range(levels + 1)), SEVERAL, THANKS)
        for language in LANGUAGES
        for found in [wording(own, kind, levels, language)]
    ]  # fmt: skip


def wording(own: Mapping[tuple[str, str], tuple[str, str]], kind: str, levels: int, language: str) -> Wording:
    """The shop's own words for the kind of mail, otherwise the default ones."""
    given = own.get((kind, language))
    return Wording(*given) if given else usual_wording(kind, levels, language)


def set_text(tx: ShopTx, kind: str, language: str, subject: str, body: str) -> None:
    """Sets the words of a kind of mail (0: payment information, 1 and up: a level, several, thanks). SettingRefused."""
    _check(kind, language)
    try:
        checked = checked_wording(kind, subject, body)
    except TextRefused as error:
        raise SettingRefused(error.message, parameter=error.parameter) from None
    mails.save_text(tx, kind, language, checked.subject, checked.body)
    words = {"subject": checked.subject, "body": checked.body}
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, f"text-{kind}-{language}", after=words)


def reset_text(tx: ShopTx, kind: str, language: str) -> None:
    """Restores the default words of the mail. SettingRefused."""
    _check(kind, language)
    mails.forget_text(tx, kind, language)
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, f"text-{kind}-{language}", after={})


def _check(kind: str, language: str) -> None:
    if kind not in _KINDS:
        raise SettingRefused(
            Message(
                "setting-texts-0-payment-information", most=MAX_LEVELS, several=SEVERAL, thanks=THANKS, kind=repr(kind)
            )
        )
    if language not in LANGUAGES:
        raise SettingRefused(
            Message("setting-texts-written-not", languages=", ".join(LANGUAGES), language=repr(language))
        )


def payment_terms(shop: Shop, plan: DunningPlan) -> PaymentTerms:
    """The settings behind the payment dates of the shop's orders."""
    return PaymentTerms(plan, shop.timezone, shop.lapse_after_days, shop.reminders)
