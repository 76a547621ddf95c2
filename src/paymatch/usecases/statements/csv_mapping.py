"""Layouts of an account's tables: proposed from a file, shown, corrected by a person, remembered.

The file is untrusted: it is read in its own process, like an import.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Any, BinaryIO, Final

from paymatch.confined import ProcessBudget, Tell
from paymatch.confined.tables import look_at_table
from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message, message_of, to_json
from paymatch.formats.read import TABLE, first_file, recognise
from paymatch.formats.statement import Entry, FileRefused, StatementEvent, UnreadableEntry
from paymatch.formats.tables.detect import is_a_list, layout_in
from paymatch.formats.tables.profiles import CsvField, CsvProfile
from paymatch.formats.tables.reader import CsvProposal, fits, propose_with, read_csv
from paymatch.store.database import Database
from paymatch.store.shops import shops as store
from paymatch.usecases.audit import record

BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=10, wall_seconds=30)
"""Ten entries of a table take some milliseconds."""
_SAMPLE: Final = 256 * 1024
_ENTRIES: Final = 10
_OPTIONS: Final = ("delimiter", "encoding", "decimal_mark", "date_order", "currency")


def mapping(
    database: Database,
    shop: Shop,
    stream: BinaryIO,
    *,
    account: str = "",
    changes: Mapping[str, str] | None = None,
    save: bool = False,
    budget: ProcessBudget = BUDGET,
) -> dict[str, Any]:
    """The columns of a table with a preview of its data, after `changes`; with `save` it is remembered.

    Changes are `field=header` (several headers separated by `|`, `#3` is the third column, an empty value removes a
    field) or one of the options delimiter, encoding, decimal_mark, date_order, currency. FileRefused if the file is not
    a table, SettingRefused for an unknown field, or if `save` names no account: it must be given, not assumed (D-82). A
    saved layout is confirmed: tables with these headings are statements of this account from now on.
    """
    columns, options = _changes(changes or {})
    with database.of_shop(shop) as tx:
        accounts = store.accounts(tx)
        profiles = store.csv_profiles(tx)
        own = _account(accounts, account, required=save)
        saved = [text for kept_for, currency, text in profiles if (kept_for, currency) == own]
    known = {
        "saved": saved, "columns": columns, "options": options, "account": own[0],
        "currency": own[1] or shop.currency, "save": save,
    }  # fmt: skip
    found = _with_messages(look_at_table(look, stream, budget, **known))
    for entry in found["entries"]:
        if entry.get("bookingDate"):
            entry["bookingDate"] = date.fromisoformat(entry["bookingDate"])
    profile = CsvProfile.from_json(found.pop("json"))
    if save:
        _remember(database, shop, own, profile)
    return {"account": own[0], **found, "remembered": found["remembered"] or save}


def _with_messages(found: dict[str, Any]) -> dict[str, Any]:
    """The result of the process, with messages from the codes and values that it returned."""
    entries = [
        entry | {"unreadable": message_of(entry["unreadable"])} if entry.get("unreadable") else entry
        for entry in found["entries"]
    ]
    refusal = message_of(found["refusal"]) if found["refusal"] else ""
    return found | {"entries": entries, "refusal": refusal, "doubts": [message_of(each) for each in found["doubts"]]}


def _remember(database: Database, shop: Shop, own: tuple[str, str], profile: CsvProfile) -> None:
    """Keeps the layout for this account and currency, replacing the one with the same headings."""
    account, currency = own
    kept = replace(profile, account=profile.account or account)
    with database.of_shop(shop) as tx:
        store.lock_accounts(tx)
        known = [text for *row, text in store.csv_profiles(tx) if tuple(row) == own]
        # One without headings is of an older version, and would fit the same tables.
        others = [text for text in known if CsvProfile.from_json(text).headings not in ((), kept.headings)]
        store.save_csv_profiles(tx, account, currency, [*others, kept.to_json()])
        replaced = [CsvProfile.from_json(text) for text in known if text not in others]
        before = _audit_values(replaced[0]) if replaced else None
        subject = f"columns-{masked_account(account)}"
        record(tx, shop, AuditAction.SETTINGS_CHANGED, subject, before=before, after=_audit_values(kept))


def _audit_values(profile: CsvProfile) -> dict[str, str]:
    """Its data for the audit log, in the form that `changes` takes."""
    return {"columns": ", ".join(f"{what}={'|'.join(names)}" for what, names in profile.columns)}


def look(
    files: list[BinaryIO],
    _tell: Tell,
    *,
    saved: list[str],
    columns: dict[str, list[str]],
    options: dict[str, str],
    account: str,
    currency: str,
    save: bool,
) -> dict[str, Any]:
    """The result of `mapping` and `json`, the profile; or why it is `refused`. Runs in its own process."""
    said = {what: tuple(names) for what, names in columns.items()}
    try:
        stream = first_file(files[0])
        if recognise(stream) is not TABLE:
            raise FileRefused(Message("table-only"))
        sample = stream.read(_SAMPLE)
        stream.seek(0)
        proposal = propose_with(sample, said, remembered_encoding=options.get("encoding", ""), account=account)
        known = next((each for each in map(CsvProfile.from_json, saved) if fits(stream, each)), None)
        remembered = known is not None
        profile = _change_profile(proposal.profile if known is None else known, said, options)
        headings, listed = layout_in(sample, profile)
        if save and listed:
            raise FileRefused(is_a_list(listed))
    except FileRefused as error:
        return {"refused": to_json(error.message)}
    shown = _mapping_fields(stream, profile, proposal, currency)
    kept = replace(profile, headings=headings)
    return {"json": kept.to_json(), "remembered": remembered, "listHeadings": list(listed), **shown}


def list_layouts(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The layouts of tables that a person has confirmed, with the account whose statements they are (D-82)."""
    with database.of_shop(shop) as tx:
        rows = store.csv_profiles(tx)
    kept = [(account, currency, CsvProfile.from_json(text)) for account, currency, text in rows]
    return [
        {
            "layout": _layout_id(profile), "account": account, "currency": currency, "profile": profile.name,
            "columns": ", ".join("|".join(names) for _, names in profile.columns),
            "headings": list(profile.headings),
        }
        for account, currency, profile in kept
    ]  # fmt: skip


def forget_layout(database: Database, shop: Shop, account: str, layout: str = "") -> dict[str, Any]:
    """Revokes the confirmation of a layout, or of all of the account: the next such table needs an answer again.

    Imported data stays. SettingRefused if no such layout is confirmed for the account.
    """
    wanted = account.replace(" ", "")
    with database.of_shop(shop) as tx:
        store.lock_accounts(tx)
        kept: dict[str, list[CsvProfile]] = defaultdict(list)
        for of_account, currency, text in store.csv_profiles(tx):
            if of_account == wanted:
                kept[currency].append(CsvProfile.from_json(text))
        gone = [each for own in kept.values() for each in own if layout in ("", _layout_id(each))]
        if not gone:
            named = f" {layout!r}" if layout else ""
            raise SettingRefused(Message("setting-no-layout-tables-confirmed", named=named, wanted=repr(wanted)))
        for currency, own in kept.items():
            store.save_csv_profiles(tx, wanted, currency, [p.to_json() for p in own if p not in gone])
        for profile in gone:
            subject, before = f"columns-{masked_account(wanted)}", _audit_values(profile)
            record(tx, shop, AuditAction.SETTINGS_CHANGED, subject, before=before, after={"columns": ""})
    return {"account": wanted, "forgotten": True}


def _layout_id(profile: CsvProfile) -> str:
    """The name that a person revokes a layout with: the same as long as its headings are."""
    headings = profile.headings or [name for _, names in profile.columns for name in names]
    return hashlib.sha256("\n".join(headings).encode()).hexdigest()[:8]


def _account(rows: Iterable[store.AccountRow], named: str, *, required: bool) -> tuple[str, str]:
    """(account, currency) that is named, or the shop's only one."""
    wanted = named.replace(" ", "")
    found = [(row.account, row.currency) for row in rows if not wanted or row.account == wanted]
    if required and not wanted:
        raise SettingRefused(Message("setting-name-account-with-account"))
    if len(found) == 1:
        return found[0]
    if wanted and not found:
        raise SettingRefused(Message("account-unknown", account=repr(wanted)))
    if required:
        raise SettingRefused(Message("setting-name-account-with-account"))
    return wanted, ""


def _changes(changes: Mapping[str, str]) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """A person's changes: columns by field, and options."""
    columns: dict[str, tuple[str, ...]] = {}
    options: dict[str, str] = {}
    for name, text in changes.items():
        if name in _OPTIONS:
            options[name] = "\t" if name == "delimiter" and text == "tab" else text
        elif name in {what.value for what in CsvField}:
            columns[name] = tuple(part.strip() for part in text.split("|") if part.strip())
        else:
            fields = ", ".join([*(what.value for what in CsvField), *_OPTIONS])
            raise SettingRefused(Message("setting-no-such-field", name=repr(name), fields=fields))
    return columns, options


def _change_profile(
    profile: CsvProfile, columns: Mapping[str, tuple[str, ...]], options: Mapping[str, Any]
) -> CsvProfile:
    if not columns and not options:
        return profile
    name = profile.name if profile.name.endswith(", corrected") else f"{profile.name}, corrected"
    said = {**dict(profile.columns), **columns}
    return replace(profile, name=name, columns=tuple((what, own) for what, own in said.items() if own), **options)


def _mapping_fields(stream: BinaryIO, profile: CsvProfile, proposal: CsvProposal, currency: str) -> dict[str, Any]:
    """The mapping and a preview of its data, for a person."""
    refusal, events = {}, list[StatementEvent]()
    try:
        read = read_csv(stream, profile, default_currency=currency)
        events = list(islice((e for e in read if isinstance(e, Entry | UnreadableEntry)), _ENTRIES))
    except FileRefused as error:
        refusal = to_json(error.message)
    return {
        "profile": profile.name,
        "hasHeadings": profile.header,
        "confidence": proposal.confidence,
        "columns": {what: list(names) for what, names in profile.columns},
        "options": {name: getattr(profile, name) for name in _OPTIONS},
        "doubts": [to_json(doubt) for doubt in proposal.doubts],
        "refusal": refusal,
        "preview": [list(row) for row in proposal.preview],
        "entries": [_entry(event) for event in events],
    }


def _entry(event: StatementEvent) -> dict[str, Any]:
    if not isinstance(event, Entry):
        return {"unreadable": to_json(event.reason) if isinstance(event, UnreadableEntry) else {}}
    detail = event.details[0] if event.details else None
    party = (detail.debtor if event.amount_minor >= 0 else detail.creditor) if detail else None
    return {
        "bookingDate": event.booking_date or event.value_date,
        "amount": minor_to_text(event.amount_minor, Currency(event.currency)),
        "currency": event.currency,
        "name": party.name if party else "",
        "account": party.account if party else "",
        "text": "".join(detail.remittance_lines) if detail else "",
    }
