"""The command that shows what payers have kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from paymatch.cli.arguments import DAY, ShopArgument, read_day
from paymatch.cli.context import shop_transaction
from paymatch.cli.listing import Row, lists

if TYPE_CHECKING:
    from paymatch.usecases.orders.fees import WithheldFees


@lists("payer", "feeKind", "postings", "orders", "gross", "fee", "share", "currency", "tariff")
def fees(
    shop: ShopArgument,
    first: Annotated[str, typer.Option("--from", metavar=DAY, help="Booked on this day or later.")] = "",
    last: Annotated[str, typer.Option("--to", metavar=DAY, help="Booked on this day or before.")] = "",
) -> Iterator[Row]:
    """List what each payer has kept: commission, delivery and payment fees, bank charges, cash discount."""
    from paymatch.usecases.orders import fees as usecase

    with shop_transaction(shop) as tx:
        yield from map(_row, usecase.fees(tx, read_day(first), read_day(last)))


def _row(kept: WithheldFees) -> Row:
    from paymatch.domain.money import minor_to_text
    from paymatch.domain.orders.fees import percent, tariffs_in_words

    return {
        "payer": kept.payer,
        "iban": kept.iban,
        "feeKind": kept.kind,
        "postings": kept.postings,
        "orders": kept.orders,
        "gross": minor_to_text(kept.gross_minor, kept.currency),
        "fee": minor_to_text(kept.withheld_minor, kept.currency),
        "share": percent(kept.withheld_minor, kept.gross_minor) if kept.gross_minor > 0 else "",
        "currency": kept.currency,
        "tariff": tariffs_in_words(kept.tariffs, kept.currency) if kept.tariffs is not None else "",
    }
