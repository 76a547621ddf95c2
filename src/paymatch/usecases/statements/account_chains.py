"""Chains of each bank account's balances: the last covered day, the links between statements, and gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from paymatch.domain.books.completeness import Gap, GapKind
from paymatch.domain.payouts.providers import is_at_provider, provider_of
from paymatch.store.payouts import payouts
from paymatch.store.shops import shops
from paymatch.store.statements import figures
from paymatch.store.statements import statements as store
from paymatch.store.statements.statements import StatementRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.statements.completeness import final_statements, gaps_of_accounts


@dataclass(frozen=True, slots=True)
class StatementLink:
    """A statement in the chain; amounts in minor units, None if it states none.

    `meets`: it opens with the closing balance of the one before. `apart_minor`: the difference if a statement is
    missing.
    """

    first_date: date
    last_date: date
    closing_minor: int | None
    booked_minor: int
    import_id: str
    meets: bool = False
    apart_minor: int | None = None
    missing: Gap | None = None


@dataclass(frozen=True, slots=True)
class KnownAccount:
    """An account of the shop, or of its statements. `as_of`: the last day of its final statements.

    `bank_name` is the provider's name for an account at a payment service or marketplace.
    """

    account: str
    currency: str
    bank_name: str
    is_registered: bool
    is_confirmed: bool
    as_of: date | None
    statements: int
    gaps: Sequence[Gap]
    chain: Sequence[StatementLink]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is proven to be missing or wrong."""
        return not any(gap.proven for gap in self.gaps)

    @property
    def is_at_provider(self) -> bool:
        """Whether it is at a payment service or marketplace."""
        return is_at_provider(self.account)

    @property
    def has_balances(self) -> bool:
        """Whether a statement of the chain states its closing balance."""
        return any(link.closing_minor is not None for link in self.chain)


def known_accounts(tx: ShopTx, *, links: int) -> list[KnownAccount]:
    """The shop's accounts, unconfirmed ones last; each with its last `links` statements."""
    rows = store.statements(tx)
    by_id = {row.id: row for row in rows}
    facts = final_statements(rows)
    missing = gaps_of_accounts(tx, facts)
    registered = {(row.account, row.currency): (row.bank_name, row.confirmed) for row in shops.accounts(tx)}
    registered |= {
        (row.account, row.currency): (provider_of(row.provider).name, row.confirmed)
        for row in payouts.provider_accounts(tx)
    }
    keys = [*registered, *(key for key in facts if key not in registered)]
    found = []
    for key in keys:
        known = facts.get(key, [])
        gaps = missing.get(key, [])
        chain = _chain([by_id[each.id] for each in known], gaps, links)
        as_of = max((each.last_date for each in known), default=None)
        bank_name, is_confirmed = registered.get(key, ("", False))
        found.append(KnownAccount(*key, bank_name, key in registered, is_confirmed, as_of, len(known), gaps, chain))
    return found


def _chain(rows: Sequence[StatementRow], gaps: Sequence[Gap], links: int) -> list[StatementLink]:
    """The last statements by day, and the gaps between them."""
    ordered = sorted(
        rows, key=lambda row: (row.last_date or date.min, row.first_date or date.min, row.sequence, row.id)
    )
    missing = {gap.statements: gap for gap in gaps if gap.kind is GapKind.BALANCE}
    first = max(len(ordered) - links, 0)
    before = [None, *ordered]
    return [_link(ordered[place], before[place], missing) for place in range(first, len(ordered))]


def _link(row: StatementRow, last: StatementRow | None, missing: Mapping[tuple[str, ...], Gap]) -> StatementLink:
    assert row.first_date is not None
    assert row.last_date is not None, "final statements without days are left out"
    gap, apart = missing.get((last.id, row.id)) if last else None, None
    if gap and last and row.opening_minor is not None and last.closing_minor is not None:
        apart = row.opening_minor - last.closing_minor
    meets = last is not None and row.opening_minor is not None and row.opening_minor == last.closing_minor
    return StatementLink(
        row.first_date, row.last_date, row.closing_minor, row.booked_minor, row.import_id, meets, apart, gap
    )  # fmt: skip


def tab_counts(tx: ShopTx) -> dict[str, int]:
    """The number of the shop's accounts, imports and remittance advices."""
    return figures.tab_counts(tx)
