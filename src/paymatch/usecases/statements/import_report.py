"""Report of an import about one file (its names are stable: docs/command-line.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.money import CURRENCIES, Currency, digits_of
from paymatch.domain.words.message import Message, as_text, from_json, to_json

_CODED: Final = "notesAsCodes"


def with_codes(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report as stored JSON: its notes with their words, codes and values."""
    notes = report["notes"]
    return {**report, "notes": [str(note) for note in notes], _CODED: [to_json(note) for note in notes]}


def with_messages(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The report that `with_codes` kept; notes without a code stay words."""
    found = dict(kept)
    coded = found.pop(_CODED, None)
    if coded is not None:
        pairs = zip(found["notes"], coded, strict=True)
        found["notes"] = [from_json(words, each["code"], each["values"]) if each else words for words, each in pairs]
    return found


def report_from_json(text: str) -> dict[str, Any]:
    """The report that was kept as JSON, under its stable names."""
    return with_messages(msgspec.json.decode(text))


@dataclass(slots=True)
class ImportReport:
    """The contents of one file and their result (its names are stable: docs/command-line.md)."""

    file: str
    format: str = ""
    version: str = ""
    statements: int = 0
    entries: int = 0
    details: int = 0
    credit: Decimal = Decimal(0)
    debit: Decimal = Decimal(0)
    currencies: list[str] = field(default_factory=list)
    new: int = 0
    known: int = 0
    provisional: int = 0
    folded: int = 0  # lines of the recomputed window
    errors: int = 0
    matched: int = 0
    suggested: int = 0
    balances_right: int = 0
    balances_wrong: int = 0
    accounts: list[str] = field(default_factory=list)
    first_date: date | None = None
    last_date: date | None = None
    gaps: int = 0  # gaps next to its statements, proven by balances or numbers
    new_accounts: list[str] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)
    import_id: str = ""
    dry_run: bool = False

    def include(self, account: str, *days: date | None) -> None:
        """The file has a statement of this account and of these days."""
        if account and account not in self.accounts:
            self.accounts.append(account)
        for day in filter(None, days):
            self.first_date = min(self.first_date or day, day)
            self.last_date = max(self.last_date or day, day)

    def as_dict(self) -> dict[str, Any]:
        """The report under its stable names."""
        return {
            "file": self.file,
            "format": self.format,
            "version": self.version,
            "statements": self.statements,
            "entries": self.entries,
            "details": self.details,
            "sumCredit": f"{self.credit:.{self._digits}f}",
            "sumDebit": f"{self.debit:.{self._digits}f}",
            "currency": " ".join(self.currencies),
            "new": self.new,
            "known": self.known,
            "provisional": self.provisional,
            "errors": self.errors,
            "matched": self.matched,
            "suggested": self.suggested,
            "balance": self.balance,
            "folded": self.folded,
            "accounts": self.accounts,
            "firstDate": self.first_date,
            "lastDate": self.last_date,
            "gaps": self.gaps,
            "newAccounts": self.new_accounts,
            "notes": list(self.notes),
            "importId": "" if self.dry_run else self.import_id,
            "dryRun": self.dry_run,
        }

    def to_json(self) -> str:
        """The report as it is kept."""
        return msgspec.json.encode(with_codes(self.as_dict()), enc_hook=as_text).decode()

    @property
    def _digits(self) -> int:
        """Two, as everywhere in the API; more where a currency of the file has more."""
        return max([2, *(digits_of(Currency(code)) for code in self.currencies if code in CURRENCIES)])

    @property
    def balance(self) -> str:
        """`ok` if opening + booked = closing wherever the file states both, `mismatch`, or `unknown`."""
        if self.balances_wrong:
            return "mismatch"
        return "ok" if self.balances_right else "unknown"
