"""The name that the payee's bank knows: a person accepts it, and pays the refund again with it (D-112)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.refunds.refunds import RefundRefused, RefundStatus, RefundUnknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.refunds import refunds, transfers
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.refunds import set_iban
from paymatch.usecases.refunds.releases import Released, release

_CAME_BACK = frozenset({RefundStatus.ERROR, RefundStatus.RETURNED})


def take_name_and_pay_again(
    database: Database, shop: Shop, refund_id: str, seen: str, person: str, clock: datetime
) -> list[Released]:
    """Makes a new attempt to the same account with the bank's name, and releases it. `seen`: the name that was shown.

    RefundUnknown; RefundRefused unless the refund came back and the bank gave this name, or as by `release`.
    """
    with database.of_shop(shop, at=clock) as tx:
        refund = refunds.by_id(tx, refund_id)
        if refund is None:
            raise RefundUnknown(refund_id)
        attempts = [row for row in transfers.of_refunds(tx, [refund_id]) if row.attempt == refund.attempt]
        if refund.status not in _CAME_BACK or not attempts or not seen or attempts[0].bank_name != seen:
            raise RefundRefused(Message("refund-no-bank-name"))
        set_iban(tx, refund_id, attempts[0].iban, seen)
        record(tx, tx.shop, AuditAction.REFUND_NAME_TAKEN, refund_id, after={"attempt": refund.attempt + 1})
        current = refunds.by_id(tx, refund_id)
        assert current is not None, "it was there before"
    return release(database, shop, {refund_id: current.account_version}, person, clock)
