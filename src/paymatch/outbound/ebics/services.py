"""Business transaction formats (BTF): the names under which a bank delivers statements and accepts transfers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class OrderSubject(StrEnum):
    """The subjects of downloads and uploads."""

    STATEMENTS = "camt.053"
    REPORTS = "camt.052"
    NOTIFICATIONS = "camt.054"
    STATUS_REPORTS = "pain.002"
    TRANSFERS = "pain.001"


@dataclass(frozen=True, slots=True)
class BankService:
    """A BTF. Empty texts: the field is left out."""

    name: str
    scope: str
    option: str
    message: str
    container: str = ""
    version: str = ""

    def __str__(self) -> str:
        """As banks print it: EOP/DE//camt.053/ZIP."""
        return "/".join((self.name, self.scope, self.option, self.message + self.version, self.container)).rstrip("/")


NORMAL: Final = "SCT"
INSTANT: Final = "SCI"
CHECKED: Final = ("VOI",)
UNCHECKED: Final = ("VOO", "")
"""Service options of transfers: with the check of the payee, without it; banks without VOO skip it by no option."""

_DE: Final = {
    OrderSubject.STATEMENTS: BankService("EOP", "DE", "", "camt.053", "ZIP"),
    OrderSubject.REPORTS: BankService("STM", "DE", "", "camt.052", "ZIP"),
    OrderSubject.NOTIFICATIONS: BankService("STM", "DE", "", "camt.054", "ZIP"),
    OrderSubject.STATUS_REPORTS: BankService("REP", "DE", "SCT", "pain.002", "ZIP"),
    OrderSubject.TRANSFERS: BankService("SCT", "", "", "pain.001"),
}
_CH: Final = {
    OrderSubject.STATEMENTS: BankService("EOP", "CH", "", "camt.053", "ZIP"),
    OrderSubject.REPORTS: BankService("STM", "CH", "", "camt.052", "ZIP"),
    OrderSubject.NOTIFICATIONS: BankService("REP", "CH", "", "camt.054", "ZIP"),
    OrderSubject.STATUS_REPORTS: BankService("PSR", "CH", "", "pain.002", "ZIP"),
    OrderSubject.TRANSFERS: BankService("MCT", "CH", "", "pain.001"),
}


def usual_service(subject: OrderSubject, country: str, offered: tuple[BankService, ...] = ()) -> BankService:
    """The service for a subject: the bank's own if HTD or HAA named one, else what the country's banks agreed upon."""
    usual = (_CH if country == "CH" else _DE)[subject]
    matching = [
        each for each in offered if each.message == subject and (each.name, each.option) == (usual.name, usual.option)
    ]
    return matching[0] if matching else usual
