"""Layouts for settlement files of unknown providers: proposed, corrected by a person once, remembered (D-83)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, Final

from paymatch.confined import ProcessBudget, Tell
from paymatch.confined.tables import look_at_table
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.payouts.movements import Movement, MovementKind
from paymatch.domain.payouts.providers import PROVIDERS, account_at
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message, to_json
from paymatch.formats.read import first_file
from paymatch.formats.settlements.layouts import SettlementColumn, recognise_settlement, tables_in
from paymatch.formats.settlements.learnt import layout_to_json, learnt_layout
from paymatch.formats.settlements.proposing import propose_settlement
from paymatch.formats.settlements.reader import SettlementReading
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.payouts import payouts
from paymatch.store.payouts.payouts import ProviderAccountRow
from paymatch.usecases.audit import record

BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=20, wall_seconds=60)
_ENTRIES: Final = 10
_KIND: Final = "kind:"
_SIGNS: Final = "signs"


def map_layout(
    database: Database,
    shop: Shop,
    stream: BinaryIO,
    provider: str,
    clock: datetime,
    *,
    currency: str = "",
    changes: Mapping[str, str] | None = None,
    save: bool = False,
) -> dict[str, Any]:
    """The columns of a settlement file and a preview of their data, after `changes`; with `save` they are remembered.

    Changes are `gross=Heading` for each of a settlement's columns (an empty value removes one), `kind:Word=sale` for
    the words of the kind's column, and `signs=yes` if only signs show who paid. SettingRefused for others, FileRefused
    if the file cannot be read this way.
    """
    name = " ".join(provider.split())
    code = re.sub(r"[^a-z]", "", name.casefold())[:30]
    if not code:
        raise SettingRefused(Message("setting-provider-needs-name"))
    if code in PROVIDERS:
        name = PROVIDERS[code].name
    columns, kinds, signs = _changes(changes or {})
    known: dict[str, Any] = {
        "code": code, "name": name, "columns": columns, "kinds": kinds, "signs": signs,
        "currency": currency or shop.currency,
    }  # fmt: skip
    found = look_at_table(look_at_settlement, stream, BUDGET, **known)
    layout = found.pop("json")
    account = account_at(code, name)
    if save:
        row = ProviderAccountRow(account, known["currency"], code, name, confirmed=True, layout=layout)
        with database.of_shop(shop, at=clock) as tx:
            payouts.add_provider_account(tx, row, shop.now(clock))
            record(tx, shop, AuditAction.ACCOUNT_ADDED, account, after={"columns": str(found["columns"])})
    return {"account": account, **found, "remembered": save}


def propose_layout(stream: BinaryIO) -> dict[str, Any]:
    """The headings of a file, the possible meanings of each column, and those of the words in the kind's column.

    FileRefused if it cannot be read as a table.
    """
    return look_at_table(look_at_proposal, stream, BUDGET)


def look_at_proposal(files: list[BinaryIO], _tell: Tell) -> dict[str, Any]:
    """The result of `propose_layout`; runs in its own process."""
    try:
        stream = first_file(files[0])
    except FileRefused as refusal:
        return {"refused": to_json(refusal.message)}
    proposal = propose_settlement(stream)
    if proposal is None:
        widest = max((row for rows in tables_in(stream) for row in rows), key=len, default=[])
        return {"headings": widest, "columns": {}, "kinds": {}, "words": []}
    return {
        "headings": list(proposal.headings),
        "columns": {what.value: heading for what, heading in proposal.columns.items()},
        "kinds": {word: kind.value for word, kind in proposal.kinds.items()},
        "words": list(proposal.words),
    }


def _changes(changes: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str], bool]:
    columns: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for name, value in changes.items():
        if name.startswith(_KIND):
            if value not in set(MovementKind):
                raise SettingRefused(
                    Message("setting-unknown-kind-known", kind=repr(value), movementkinds=", ".join(MovementKind))
                )
            kinds[name.removeprefix(_KIND)] = value
        elif name in set(SettlementColumn):
            columns[name] = value
        elif name != _SIGNS:
            raise SettingRefused(
                Message("setting-unknown-column-known-kind", name=repr(name), columns=", ".join(SettlementColumn))
            )
    return columns, kinds, changes.get(_SIGNS) == "yes"


def look_at_settlement(
    files: list[BinaryIO],
    _tell: Tell,
    *,
    code: str,
    name: str,
    columns: dict[str, str],
    kinds: dict[str, str],
    signs: bool,
    currency: str,
) -> dict[str, Any]:
    """The result of `map_layout` and `json`, the layout; or why it is `refused`. Runs in its own process."""
    try:
        stream = first_file(files[0])
    except FileRefused as refusal:
        return {"refused": to_json(refusal.message)}
    proposal = propose_settlement(stream)
    proposed = dict(proposal.columns) if proposal else {}
    proposed |= {SettlementColumn(what): heading for what, heading in columns.items()}
    words = dict(proposal.kinds) if proposal else {}
    words |= {word: MovementKind(kind) for word, kind in kinds.items()}
    if SettlementColumn.KIND not in proposed:
        words = {}
    try:
        layout = learnt_layout(code, name, proposed, words, has_signs=signs)
        found = recognise_settlement(stream, (layout,))
        if found is None:
            raise FileRefused(Message("settlement-no-row"))
        reading = SettlementReading(stream, found, currency)
        movements = (each for each in reading.events() if isinstance(each, Movement))
        entries = [_entry(each) for each in islice(movements, _ENTRIES)]
        for _ in movements:
            pass  # the rest proves the reading
    except Refused as refusal:
        return {"refused": to_json(refusal.message) or {"code": "text", "values": {"value": str(refusal)}}}
    return {
        "json": layout_to_json(layout),
        "columns": {what.value: heading for what, heading in proposed.items() if heading},
        "kinds": {word: kind.value for word, kind in words.items()},
        "rows": reading.proving.rows,
        "recognisedAs": str(reading.recognised_as()),
        "entries": entries,
    }


def _entry(movement: Movement) -> dict[str, Any]:
    currency = Currency(movement.currency)
    return {
        "kind": movement.kind.value, "order": movement.order_reference,
        "gross": minor_to_text(movement.gross_minor, currency), "fee": minor_to_text(movement.fee_minor, currency),
        "net": minor_to_text(movement.net_minor, currency), "currency": movement.currency,
        "payout": movement.payout_id,
    }  # fmt: skip
