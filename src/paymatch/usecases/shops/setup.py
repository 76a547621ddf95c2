"""Setting up a new shop: which steps are done, skipping one, the test mail, and going live (D-93)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.setup import SetupProgress, SetupStep, progress
from paymatch.domain.words.message import Message
from paymatch.store.shops import setup_steps as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.shops import shops


class SetupRefused(Refused):
    """The step cannot be taken; the message says why."""


def facts_of(tx: ShopTx) -> dict[str, Any]:
    """The shop's present state: accounts, orders, statements, sender, look; counts end at 1001."""
    return store.facts(tx)


def progress_of(facts: Mapping[str, Any], people: int) -> SetupProgress:
    """The shop's progress, by its facts and its number of people."""
    done = {
        SetupStep.ACCOUNT: facts["has_account"],
        SetupStep.ORDERS: facts["orders"] > 0 or facts["has_connector"],
        SetupStep.STATEMENT: facts["postings"] > 0,
        SetupStep.SENDER: bool(facts["sender"]) and facts["trial_mail_at"] is not None,
        SetupStep.LOOK: facts["has_look"],
        SetupStep.TEAM: people > 1,
        SetupStep.LIVE: facts["live_at"] is not None,
    }
    return progress([step for step, is_done in done.items() if is_done], facts["skipped"])


def skip(tx: ShopTx, step: str, *, skipped: bool) -> None:
    """Skips the step, or no longer. SetupRefused for an unknown one, and for going live."""
    if step not in set(SetupStep) - {SetupStep.LIVE}:
        raise SetupRefused(Message("setup-step-cannot-skipped"))
    before = store.facts(tx)["skipped"]
    after = sorted({*before, step} if skipped else {*before} - {step})
    if after != sorted(before):
        store.set_skipped(tx, after)
        _record(tx, {"setup_skipped": before}, {"setup_skipped": after})


def note_trial_mail(tx: ShopTx) -> None:
    """Records a test mail to the person who sets the shop up."""
    store.set_trial_mail(tx, tx.wall_time)
    _record(tx, {}, {"trial_mail_at": tx.wall_time})


def go_live(tx: ShopTx, mails: Collection[str]) -> None:
    """Takes the shop live, and switches on the named kinds of mail. SettingRefused if they lack a sender."""
    if mails:
        shops.change(tx, dict.fromkeys(sorted(mails), "on"))
    if store.set_live(tx, tx.wall_time):
        _record(tx, {}, {"live_at": tx.wall_time})


def _record(tx: ShopTx, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, "shop", before=before, after=after)
