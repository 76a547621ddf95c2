"""A layout of an export: the file as the bank writes it, with invented contents, and what it says."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import BinaryIO, Final

DE: Final = "DE53677979049691425502"
AT: Final = "AT611904300234573201"
CH: Final = "CH9300762011623852957"
NL: Final = "NL91ABNA0417164300"
BE: Final = "BE68539007547034"
ES: Final = "ES9121000418450200051332"
IT: Final = "IT60X0542811101000000123456"
PL: Final = "PL61109010140000071219812874"
CZ: Final = "CZ6508000000192000145399"
PAYER: Final = "DE32179238677995673254"
"""The account of the other side, wherever it is."""

Facts = tuple[int, str, str, str, str, str]
"""Signed minor units, booking date, status, counterparty's name and account, remittance."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`statements` has the facts per (account, currency), in the order of the file; an account that the file does not
    name is "". `balances` are opening and closing, per statement if there are several; () where the file proves none.
    """

    name: str
    text: str
    statements: dict[tuple[str, str], tuple[Facts, ...]]
    balances: tuple[int, int] | tuple[tuple[int, int], ...] = ()
    encoding: str = "utf-8"
    own: str = ""  # the account that the owner names where the file names none, or only an account of someone else
    unreadable: int = 0
    asked: bool = True  # whether the owner is asked once if this is a statement (D-82)

    @property
    def data(self) -> bytes:
        """The file."""
        return self.text.encode(self.encoding)

    @property
    def owner(self) -> str:
        """The account that the owner names when he is asked."""
        return self.own or next((account for account, _ in self.statements if account), DE)

    def named(self, owner: str) -> dict[tuple[str, str], tuple[Facts, ...]]:
        """The contents by account, where those that name none are of `owner`."""
        return {(account or owner, currency): facts for (account, currency), facts in self.statements.items()}

    @property
    def ends(self) -> list[tuple[int, ...]]:
        """The balances of each statement."""
        several: list[tuple[int, ...]] = [each for each in self.balances if isinstance(each, tuple)]
        single = tuple(each for each in self.balances if isinstance(each, int))
        return several or [single] * len(self.statements)

    @property
    def stream(self) -> BinaryIO:
        """The file, to be read."""
        return io.BytesIO(self.data)


def known(name: str, text: str, statements: dict[tuple[str, str], tuple[Facts, ...]], **more: object) -> Layout:
    """A layout that is a statement without a question."""
    return Layout(name, text, statements, asked=False, **more)  # type: ignore[arg-type]
