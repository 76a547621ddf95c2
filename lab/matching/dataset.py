"""The data set: worlds of the training and the held-out range as plain files, with licence, description and scorer."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from lab.matching.kinds import KINDS
from lab.matching.seeds import HELD_OUT, TRAINING
from lab.matching.world import World, generate

Json = dict[str, Any]
_HERE: Final = Path(__file__).parent
_ORDER: Final = (
    "number", "date", "type", "amount", "currency", "exchangeRate", "paymentStatus", "dueDate", "customerNumber",
    "customerEmail", "marketplaceNumber", "referenceNumber", "invoiceNumbers", "proformaNumbers", "shippingNumbers",
    "firstName", "lastName", "company", "street", "postCode", "city", "countryCode", "phone", "shippingName", "items",
)  # fmt: skip
_POSTING: Final = (
    "id", "account", "amount", "currency", "postingDate", "valuationDate", "name", "iban", "ultimateName", "endToEndId",
    "reference", "returnReason", "bookingText", "text", "instructedAmount", "instructedCurrency", "exchangeRate",
    "charges",
)  # fmt: skip
_TRUTH: Final = ("id", "case", "auto", "amount", "orderNumber", "allocated", "withheld", "alike")


def write(folder: Path, worlds: int, kinds: Sequence[str] = ()) -> int:
    """Writes so many worlds of each kind and range below `folder`; how many worlds there are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in (("LICENSE.txt", "LICENSE-DATA.txt"), ("README.md", "DATASET.md"), ("score.py", "score.py")):
        shutil.copyfile(_HERE / source, folder / name)
    count = 0
    for part, seeds in (("training", TRAINING), ("held-out", HELD_OUT)):
        for kind in kinds or KINDS:
            for seed in seeds[:worlds]:
                world = generate(kind, seed)
                own = folder / part / f"{kind}-{seed}"
                world.write(own)
                _write_tables(own, world)
                count += 1
    return count


def _write_tables(folder: Path, world: World) -> None:
    _table(folder / "orders.csv", _ORDER, map(_order_row, world.orders))
    _table(folder / "postings.csv", _POSTING, world.postings)
    _table(folder / "truth.csv", _TRUTH, (row for each in world.truth.items() for row in _truth_rows(*each)))


def _table(path: Path, columns: Sequence[str], rows: Iterable[Json]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({column: _cell(row.get(column, "")) for column in columns} for row in rows)


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value


def _order_row(order: Json) -> Json:
    shipping = order.get("shipping") or {}
    name = f"{shipping.get('firstName', '')} {shipping.get('lastName', '')}".strip()
    items = [f"{item['number']} {item['name']}" for item in order.get("items", [])]
    return {**order, **order["billing"], "shippingName": name, "items": "; ".join(items)}


def _truth_rows(posting: str, true: Json) -> Iterable[Json]:
    """A row per order that the posting pays; one without an order if it pays none."""
    for part in true["allocations"] or [{"orderNumber": "", "amount": ""}]:
        yield {**true, "id": posting, "orderNumber": part["orderNumber"], "allocated": part["amount"]}
