"""Usual reasons for setting postings aside: four with a key each, the payer's last one, and what the text says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from paymatch.area.language.aside_reasons import ASKED, CARD, NO_ORDER, OWN
from paymatch.area.page import Visit
from paymatch.area.queue.steps import QueueStep
from paymatch.domain.matching.text.other_business import OtherBusiness, other_business
from paymatch.domain.postings import PostingStatus
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import queue, rules


@dataclass(frozen=True, slots=True)
class AsideReason:
    """A reason with its key; `ignores`: the posting is not an order payment, and does not wait."""

    name: str
    key: str
    label: str | Promise
    ignores: bool

    @property
    def words(self) -> str:
        """The reason as it is kept."""
        return str(self.label)


REASONS: Final = (
    AsideReason("asked", "1", ASKED, ignores=False),
    AsideReason("no-order", "2", NO_ORDER, ignores=True),
    AsideReason("card", "3", CARD, ignores=True),
    AsideReason("own", "4", OWN, ignores=True),
)


def usual_of(name: str) -> AsideReason | None:
    """The reason of this name; None for another."""
    return next((each for each in REASONS if each.name == name), None)


def given(request: HttpRequest, visit: Visit, posting_id: str) -> tuple[str, bool]:
    """(the form's reason: of a key, as last time, or typed; whether the posting is not an order payment)."""
    usual = usual_of(request.POST.get("usual", ""))
    if usual is not None:
        return usual.words, usual.ignores
    if request.POST.get("usual_last"):
        with visit.transaction() as tx:
            shown = queue.show_posting(tx, posting_id, looks=False)
            last = proposed_reason(shown) if shown is not None else None
        return (last.reason, last.ignores) if last is not None else ("", False)
    return request.POST.get("reason", "").strip()[:500], request.POST.get("how") == "ignore"


@dataclass(frozen=True, slots=True)
class ProposedReason:
    """A reason that one key gives, with where it comes from in words."""

    reason: str
    ignores: bool
    label: str


_OF_TEXT: Final = {OtherBusiness.CARDS: "card", OtherBusiness.OFFICE: "no-order"}


def proposed_reason(shown: queue.Shown) -> ProposedReason | None:
    """Why a posting that waits is set aside: what was said of the payer last time, else what its own words say."""
    if not shown.is_open or shown.tariff is not None:  # payouts are split, and what their payers keep is learnt
        return None
    posting = shown.queued.posting
    last = shown.queued.last_aside
    if last is not None:
        said = _("As last time: %(reason)s") % {"reason": last.reason}
        return ProposedReason(last.reason, last.status == PostingStatus.IGNORED, said)
    business = None if shown.candidates or posting.amount_minor <= 0 else other_business(posting)
    usual = usual_of(_OF_TEXT[business]) if business is not None else None
    if usual is None:
        return None
    return ProposedReason(usual.words, usual.ignores, _("By its text: %(reason)s") % {"reason": usual.words})


def offered_rule(tx: ShopTx, visit: Visit, step: QueueStep) -> dict[str, Any] | None:
    """A rule for the payer, once the same was said of it twice and no rule does it yet."""
    if step.done == "matched" or len(step.postings) != 1:
        return None
    posting_id = next(iter(step.postings))
    found = rules.repeated_reason(tx, posting_id)
    return dict(zip(("payer", "reason", "times"), found, strict=True)) | {"posting": posting_id} if found else None
