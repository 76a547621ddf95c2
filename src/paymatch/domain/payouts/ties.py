"""Which posting on a bank account is which payout: a pure function of both sets (D-40, D-83)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.payouts.payouts import Payout
from paymatch.domain.payouts.providers import MAX_BANK_DAYS, OVERDUE_BANK_DAYS, Provider, SearchedTexts


class TieReason(StrEnum):
    """How a posting was recognised as a payout."""

    PERSON = "person"
    ID = "id"  # the text or the end-to-end id names the payout or the transfer's trace
    AMOUNT = "amount"  # provider, exact amount and days fit one payout only


class PayoutState(StrEnum):
    """The status of a payout."""

    ON_ITS_WAY = "on its way"
    ARRIVED = "arrived"
    SHORT = "short"  # arrived with another amount
    OVERDUE = "overdue"  # not arrived within ten bank days
    NO_TRANSFER = "no transfer"  # the period ended at or below zero


@dataclass(frozen=True, slots=True)
class ProviderPayout:
    """A payout with the account and the provider that sends it."""

    account_id: int
    provider: Provider
    payout: Payout

    @property
    def key(self) -> PayoutKey:
        return self.account_id, self.payout.currency, self.payout.payout_id


PayoutKey = tuple[int, str, str]
"""Account at the provider, currency, the payout's id."""


@dataclass(frozen=True, slots=True)
class BankPosting:
    """The facts of a posting on a bank account that ties need."""

    posting_id: int
    currency: str
    amount_minor: int
    booked_on: date
    name: str = ""
    text: str = ""  # remittance lines, one per line
    end_to_end_id: str = ""
    is_from_own_name: bool = False  # the other side has the shop's own name, as with transfers from Wise
    payer_account: str = ""  # of the other side, as the bank states it; "" where the statement names none


@dataclass(frozen=True, slots=True)
class Tie:
    """A posting that is a payout; `short_minor` is the shortfall against the file."""

    payout: PayoutKey
    posting_id: int
    reason: TieReason
    short_minor: int = 0


@dataclass(frozen=True, slots=True)
class Ties:
    """All ties between payouts and postings; suggestions are for a person to decide."""

    tied: tuple[Tie, ...] = ()
    suggested: Mapping[int, tuple[PayoutKey, ...]] = field(default_factory=dict)  # posting -> payouts it may be
    without_file: frozenset[int] = frozenset()  # postings of a provider that no file explains


def tie_payouts(
    payouts: Sequence[ProviderPayout],
    postings: Sequence[BankPosting],
    decided: Mapping[int, PayoutKey | None] | None = None,
) -> Ties:
    """Ties each payout to its posting; `decided` is a person's decision per posting, None for none.

    Names and texts are the payer's words: they only choose between postings of the exact amount. Another amount is a
    tie only if the payer's account has sent this provider's payouts before, as far as a person or exact amounts say
    (D-128). The result is the same for every order of `payouts` and `postings`.
    """
    words = dict(decided or {})
    waiting = {each.key: each for each in payouts if each.payout.is_transfer}
    free = {each.posting_id: each for each in postings}
    named = _find_named(waiting, free)
    known = _known_accounts(dict(waiting), dict(free), words, named)
    tied = _by_person(waiting, free, words)
    tied += _by_id(waiting, free, known, named)
    by_amount, suggested = _by_amount(waiting, free, known)
    tied += by_amount
    lost = (
        frozenset(
            each.posting_id for each in free.values() if each.amount_minor > 0 and _may_come_from_any(each, payouts)
        )
        - suggested.keys()
    )
    for posting_id, key in named:
        if posting_id in free and key in waiting and _may_come_from(free[posting_id], waiting[key].provider):
            suggested[posting_id] = tuple(sorted({*suggested.get(posting_id, ()), key}))
    return Ties(tuple(sorted(tied, key=lambda each: each.posting_id)), suggested, lost)


def state_of(payout: Payout, tie: Tie | None, today: date) -> PayoutState:
    """The status of a payout on `today`."""
    if not payout.is_transfer:
        return PayoutState.NO_TRANSFER
    if tie is not None:
        return PayoutState.SHORT if tie.short_minor else PayoutState.ARRIVED
    if payout.sent_on is not None and today > plus_bank_days(payout.sent_on, OVERDUE_BANK_DAYS):
        return PayoutState.OVERDUE
    return PayoutState.ON_ITS_WAY


_Waiting = dict[PayoutKey, ProviderPayout]
_Free = dict[int, BankPosting]


def _tie(waiting: _Waiting, free: _Free, key: PayoutKey, posting_id: int, reason: TieReason) -> Tie:
    short = waiting.pop(key).payout.amount_minor - free.pop(posting_id).amount_minor
    return Tie(key, posting_id, reason, short)


def _by_person(waiting: _Waiting, free: _Free, decided: Mapping[int, PayoutKey | None]) -> list[Tie]:
    found: list[Tie] = []
    for posting_id, key in sorted(decided.items(), key=lambda item: item[0]):
        if posting_id not in free:
            continue
        if key is not None and key in waiting:
            found.append(_tie(waiting, free, key, posting_id, TieReason.PERSON))
        elif key is None:
            del free[posting_id]
    return found


_Named = list[tuple[int, PayoutKey]]
"""Postings and the payouts whose ids they name."""
_Known = Mapping[tuple[int, str], Collection[PayoutKey]]
"""(account at the provider, payer's account at a bank) -> the payouts that came from it."""


def _known_accounts(waiting: _Waiting, free: _Free, decided: Mapping[int, PayoutKey | None], named: _Named) -> _Known:
    """The payers' accounts whose transfers a person or their exact amounts have proved to be payouts."""
    payers = {name: each.payer_account for name, each in free.items()}
    tied = _by_person(waiting, free, decided)
    tied += _by_id(waiting, free, {}, named)
    tied += _by_amount(waiting, free, {})[0]
    found: dict[tuple[int, str], set[PayoutKey]] = defaultdict(set)
    for tie in tied:
        if payer := payers[tie.posting_id]:
            found[tie.payout[0], payer].add(tie.payout)
    return found


def _is_known(posting: BankPosting, sent: ProviderPayout, known: _Known) -> bool:
    """Whether another payout came from the posting's account: a payout cannot prove its own payer."""
    return any(key != sent.key for key in known.get((sent.account_id, posting.payer_account), ()))


def _find_named(waiting: _Waiting, free: _Free) -> _Named:
    texts = SearchedTexts((each.posting_id, (each.text, each.end_to_end_id, each.name)) for each in free.values())
    return [
        (posting_id, key)
        for key, sent in waiting.items()
        for posting_id in texts.naming(sent.payout.payout_id, sent.payout.trace_id)
        if _has_side_of(free[posting_id], sent.payout)
    ]


class SearchedPostings:
    """An index of postings for finding payouts of an exact amount."""

    def __init__(self, postings: Sequence[BankPosting]) -> None:
        self._alike = _by_sum(postings)

    def has(self, sent: ProviderPayout) -> bool:
        """Whether a posting may be the payout: of its amount, and named by its id or sent by its provider then."""
        payout = sent.payout
        alike = self._alike.get((payout.currency, payout.amount_minor), ())
        if any(_may_be(each, sent) for each in alike):
            return True
        texts = SearchedTexts((each.posting_id, (each.text, each.end_to_end_id, each.name)) for each in alike)
        return bool(texts.naming(payout.payout_id, payout.trace_id))


def _by_sum(postings: Iterable[BankPosting]) -> dict[tuple[str, int], list[BankPosting]]:
    alike: dict[tuple[str, int], list[BankPosting]] = defaultdict(list)
    for posting in postings:
        alike[posting.currency, posting.amount_minor].append(posting)
    return alike


def _has_side_of(posting: BankPosting, payout: Payout) -> bool:
    return posting.currency == payout.currency and (posting.amount_minor > 0) == (payout.amount_minor > 0)


def _by_id(waiting: _Waiting, free: _Free, known: _Known, named: _Named) -> list[Tie]:
    """Exact amounts first, then short ones from known accounts; of several the known one, then the earliest."""
    ranked = []
    for posting_id, key in named:
        if posting_id not in free or key not in waiting:
            continue
        posting, sent = free[posting_id], waiting[key]
        short, is_known = abs(sent.payout.amount_minor - posting.amount_minor), _is_known(posting, sent, known)
        if not short or is_known:
            ranked.append((short, not is_known, posting.booked_on, posting_id, key))
    found: list[Tie] = []
    for *_, posting_id, key in sorted(ranked):
        if posting_id in free and key in waiting:
            found.append(_tie(waiting, free, key, posting_id, TieReason.ID))
    return found


def _by_amount(waiting: _Waiting, free: _Free, known: _Known) -> tuple[list[Tie], dict[int, tuple[PayoutKey, ...]]]:
    """Postings from known accounts first, so a stranger's posting of the same amount cannot cast doubt."""
    from_known, _ = _by_exact_amount(waiting, free, lambda posting, sent: _is_known(posting, sent, known))
    rest, suggested = _by_exact_amount(waiting, free, lambda _posting, _sent: True)
    return from_known + rest, suggested


def _by_exact_amount(
    waiting: _Waiting, free: _Free, admits: Callable[[BankPosting, ProviderPayout], bool]
) -> tuple[list[Tie], dict[int, tuple[PayoutKey, ...]]]:
    alike = _by_sum(free.values())
    fits: dict[PayoutKey, set[int]] = {}
    for key, sent in waiting.items():
        same = alike.get((sent.payout.currency, sent.payout.amount_minor), ())
        fits[key] = {each.posting_id for each in same if _may_be(each, sent) and admits(each, sent)}
    found: list[Tie] = []
    suggested: dict[int, tuple[PayoutKey, ...]] = {}
    for keys, ids in _components(fits):
        pairs = _by_day([waiting[key] for key in keys], [free[each] for each in ids], fits)
        if pairs is None:
            suggested |= {each: tuple(sorted(key for key in keys if each in fits[key])) for each in ids}
        for key, posting_id in pairs or ():
            found.append(_tie(waiting, free, key, posting_id, TieReason.AMOUNT))
    return found, suggested


def _may_be(posting: BankPosting, sent: ProviderPayout) -> bool:
    day = sent.payout.sent_on
    if day is None or not day <= posting.booked_on <= plus_bank_days(day, MAX_BANK_DAYS):
        return False
    return _may_come_from(posting, sent.provider)


def _may_come_from(posting: BankPosting, provider: Provider) -> bool:
    return provider.sends(posting.name, posting.text) or (provider.sends_in_own_name and posting.is_from_own_name)


def _may_come_from_any(posting: BankPosting, payouts: Sequence[ProviderPayout]) -> bool:
    providers = {each.provider.code: each.provider for each in payouts}
    return any(_may_come_from(posting, each) for each in providers.values())


def _components(fits: Mapping[PayoutKey, Collection[int]]) -> list[tuple[list[PayoutKey], list[int]]]:
    """Connected payouts and postings: each may be several of the others."""
    of_posting: dict[int, list[PayoutKey]] = defaultdict(list)
    for key, ids in fits.items():
        for posting_id in ids:
            of_posting[posting_id].append(key)
    found: list[tuple[list[PayoutKey], list[int]]] = []
    seen: set[PayoutKey] = set()
    for start in sorted(key for key, ids in fits.items() if ids):
        if start in seen:
            continue
        keys, ids, ahead = {start}, set[int](), [start]
        while ahead:
            for posting_id in fits[ahead.pop()]:
                ids.add(posting_id)
                new = [key for key in of_posting[posting_id] if key not in keys]
                keys.update(new)
                ahead += new
        seen |= keys
        found.append((sorted(keys), sorted(ids)))
    return found


def _by_day(
    payouts: list[ProviderPayout], postings: list[BankPosting], fits: Mapping[PayoutKey, Collection[int]]
) -> list[tuple[PayoutKey, int]] | None:
    """The pairs by unique fit, then by day, earliest with earliest; None if that leaves twins."""
    if len(payouts) != len(postings):
        return None
    sure = _only_fitting(payouts, fits)
    payouts = [each for each in payouts if each.key not in sure]
    postings = [each for each in postings if each.posting_id not in sure.values()]
    sent = sorted(payouts, key=lambda each: each.payout.sent_on or date.min)
    booked = sorted(postings, key=lambda each: each.booked_on)
    if len({each.payout.sent_on for each in sent}) < len(sent) or len({each.booked_on for each in booked}) < len(
        booked
    ):
        return None
    pairs = [(payout.key, posting.posting_id) for payout, posting in zip(sent, booked, strict=True)]
    return [*sure.items(), *pairs] if all(posting_id in fits[key] for key, posting_id in pairs) else None


def _only_fitting(payouts: Sequence[ProviderPayout], fits: Mapping[PayoutKey, Collection[int]]) -> dict[PayoutKey, int]:
    """Payouts with only one possible posting, as long as there are any; each takes its posting from the others."""
    open_fits = {each.key: set(fits[each.key]) for each in payouts}
    found: dict[PayoutKey, int] = {}
    while single := next((key for key, ids in sorted(open_fits.items()) if len(ids) == 1), None):
        (found[single],) = open_fits.pop(single)
        for ids in open_fits.values():
            ids.discard(found[single])
    return found
