"""The command that lists payouts of payment services and marketplaces."""

from __future__ import annotations

from collections.abc import Iterable

from paymatch.cli.arguments import ShopArgument
from paymatch.cli.context import shop_transaction
from paymatch.cli.listing import Row, lists


@lists("id", "provider", "account", "sentOn", "amount", "currency", "posting", "rows", "orders", "fee", "rest", "state")
def payouts(shop: ShopArgument) -> Iterable[Row]:
    """List payouts of payment services and marketplaces, the latest first, and the posting that each one is."""
    from paymatch.usecases.payouts.payout_lists import list_payouts

    with shop_transaction(shop) as tx:
        return list_payouts(tx)
