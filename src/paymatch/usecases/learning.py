"""What a shop has taught the matching, brought to the engine."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.matching.model import Caution, ShopFacts
from paymatch.domain.shops import Shop
from paymatch.store import matching as store
from paymatch.store.database import ShopId, Tx
from paymatch.store.postings import StoredPosting


def shop_facts(tx: Tx, shop: Shop, waiting: Sequence[StoredPosting]) -> ShopFacts:
    """The shop's settings and what is known of the payers of these postings."""
    shop_id = ShopId(shop.id)
    ibans = {stored.posting.counterparty_iban for stored in waiting if stored.posting.counterparty_iban}
    known = store.customers_of_ibans(tx, shop_id, ibans) if shop.learning and ibans else {}
    return ShopFacts(
        caution=Caution(shop.caution),
        tolerance_minor=shop.tolerance_minor,
        fee_tolerance_minor=shop.fee_tolerance_minor,
        known_ibans=known,
        open_orders=store.count_open_orders(tx, shop_id),
    )
