"""A shop's dunning plan and its own words: read, changed, kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from paymatch.domain.money import Currency
from paymatch.domain.reminders.dunning_plan import MAX_LEVELS, DunningPlan, changed_plan, plan_in_words
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.formats.languages.languages import LANGUAGES
from paymatch.formats.mail.texts import TextRefused, Wording, checked_wording, usual_wording
from paymatch.store.database import ShopId, Tx
from paymatch.store.reminders import mails, reminders
from paymatch.usecases.work.audit import record_deed

_DECODE: Final = msgspec.json.Decoder(DunningPlan).decode


def plan_of(tx: Tx, shop_id: ShopId) -> DunningPlan:
    """The shop's plan, or the usual one."""
    text = mails.plan(tx, shop_id)
    return _DECODE(text) if text else DunningPlan()


def show_plan(tx: Tx, shop: Shop) -> dict[str, str]:
    """The shop's plan as settings."""
    return plan_in_words(plan_of(tx, ShopId(shop.id)), Currency(shop.currency))


def change_plan(tx: Tx, shop: Shop, settings: Mapping[str, str]) -> dict[str, str]:
    """Changes the plan; all open orders are looked at again. The plan as it is now. PlanRefused."""
    shop_id = ShopId(shop.id)
    before = plan_of(tx, shop_id)
    plan = changed_plan(before, settings, Currency(shop.currency))
    mails.save_plan(tx, shop_id, msgspec.json.encode(plan).decode())
    reminders.look_at_all(tx, shop_id)
    said = plan_in_words(plan, Currency(shop.currency))
    was = plan_in_words(before, Currency(shop.currency))
    record_deed(tx, shop, DeedKind.SETTINGS_CHANGED, "dunning-plan", before=was, after=said)
    return said


def texts(tx: Tx, shop: Shop) -> list[dict[str, Any]]:
    """How each level is worded in each language, and whether the words are the shop's own."""
    own, levels = mails.texts(tx, ShopId(shop.id)), len(plan_of(tx, ShopId(shop.id)).levels)
    return [
        {
            "level": level, "language": language, "own": (level, language) in own, "subject": found.subject,
            "body": found.body,
        }
        for level in range(levels + 1)
        for language in LANGUAGES
        for found in [wording(own, level, levels, language)]
    ]  # fmt: skip


def wording(own: Mapping[tuple[int, str], tuple[str, str]], level: int, levels: int, language: str) -> Wording:
    """The shop's own words for the level, otherwise the usual ones."""
    given = own.get((level, language))
    return Wording(*given) if given else usual_wording(level, levels, language)


def set_text(tx: Tx, shop: Shop, level: int, language: str, subject: str, body: str) -> None:
    """Words a level (0: payment information) in a language. SettingRefused."""
    _check(level, language)
    try:
        checked = checked_wording(subject, body)
    except TextRefused as error:
        raise SettingRefused(str(error)) from None
    mails.save_text(tx, ShopId(shop.id), level, language, checked.subject, checked.body)
    words = {"subject": checked.subject, "body": checked.body}
    record_deed(tx, shop, DeedKind.SETTINGS_CHANGED, f"text-{level}-{language}", after=words)


def reset_text(tx: Tx, shop: Shop, level: int, language: str) -> None:
    """The level is worded in the usual way again. SettingRefused."""
    _check(level, language)
    mails.forget_text(tx, ShopId(shop.id), level, language)
    record_deed(tx, shop, DeedKind.SETTINGS_CHANGED, f"text-{level}-{language}", after={})


def _check(level: int, language: str) -> None:
    if not 0 <= level <= MAX_LEVELS:
        raise SettingRefused(f"The level is 0 (payment information) to {MAX_LEVELS}")
    if language not in LANGUAGES:
        raise SettingRefused(f"Texts are written in {', '.join(LANGUAGES)}, not in {language!r}")
