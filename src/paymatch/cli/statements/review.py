"""`paymatch review`: the clerk's morning, one posting at a time with suggestions, reasons and one key each."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import typer

from paymatch.cli.arguments import ShopArgument
from paymatch.cli.context import command, opened_shop
from paymatch.cli.statements.postings import orders_named, posting_of
from paymatch.cli.statements.showing import (
    left_words,
    parts_of,
    posting_lines,
    read_parts,
    suggestion_lines,
    too_much_lines,
)
from paymatch.clock import utc_now
from paymatch.domain.plurals import counted
from paymatch.domain.refusal import Refused

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.usecases.matching.assigning import Part

_KEYS: Final = "o other orders   i ignore   w let it wait   Enter skip   u undo   q quit"


@command
def review(shop: ShopArgument) -> None:
    """Decide open postings one by one: a number confirms a suggestion, other keys are shown; each can be undone."""
    with opened_shop(shop) as (database, found):
        queue = _Queue(database, found, _open_postings(database, found))
        queue.work_off()
    typer.echo(left_words(queue.matched, queue.decided, queue.left))


def _open_postings(database: Database, shop: Shop) -> list[str]:
    from paymatch.store.database import ShopId
    from paymatch.usecases.matching import queue

    with database.transaction(ShopId(shop.id)) as tx:
        return queue.waiting(tx, shop)


@dataclass(slots=True)
class _Queue:
    """The postings of this morning, where we stand, and what was done, for undoing it."""

    database: Database
    shop: Shop
    postings: list[str]
    place: int = 0
    done: list[tuple[int, str]] = field(default_factory=list)

    @property
    def matched(self) -> int:
        """How many were matched."""
        return sum(deed == "matched" for _, deed in self.done)

    @property
    def decided(self) -> int:
        """How many were ignored or set aside."""
        return len(self.done) - self.matched

    @property
    def left(self) -> int:
        """How many are still to be decided."""
        return len(self.postings) - len(self.done)

    def work_off(self) -> None:
        """Shows posting after posting until the end or until the person leaves."""
        while self.place < len(self.postings) or self._undoes_the_last():
            row = posting_of(self.database, self.shop, self.postings[self.place])
            if row["status"] not in ("suggested", "unmatched"):  # decided meanwhile, by matching or somebody else
                self.place += 1
                continue
            typer.echo(f"\nPosting {self.place + 1} of {len(self.postings)}")
            typer.echo(
                "\n".join([*posting_lines(row), *suggestion_lines(row, orders_named(self.database, self.shop, row))])
            )
            if not self._answered(row):
                return

    def _undoes_the_last(self) -> bool:
        """At the end: whether the person undoes the last decision instead of leaving."""
        if not self.done:
            return False
        typer.echo("\nThat was the last one  [u undo   Enter finish] ", nl=False)
        key = _key()
        typer.echo(key.strip())
        if key == "u":
            self._undo()
        return key == "u"

    def _answered(self, row: dict[str, Any]) -> bool:
        """Carries out one key; False if the person leaves. A refusal is shown, and the posting asked for again."""
        typer.echo(f"  [{_digits(row)}{_KEYS}] ", nl=False)
        key = _key()
        typer.echo(key.strip())
        if key in ("q", "\x04", ""):
            return False
        try:
            self._carry_out(key, row)
        except Refused as error:
            typer.echo(f"  {error}")
        return True

    def _carry_out(self, key: str, row: dict[str, Any]) -> None:
        from paymatch.usecases.matching import assigning

        if key.isdigit() and 1 <= int(key) <= len(row["suggestions"]):
            self._match(row, parts_of(row["suggestions"][int(key) - 1], row["currency"]))
        elif key == "o":
            words = typer.prompt("  Orders (ORDER or ORDER=AMOUNT, with spaces between)")
            self._match(row, read_parts(shlex.split(words), row["currency"]))
        elif key == "i":
            self._decide(assigning.ignore, row, typer.prompt("  Why (may be empty)", default="", show_default=False))
        elif key == "w":
            self._decide(assigning.set_aside, row, typer.prompt("  What does it wait for"))
        elif key == "u":
            self._undo()
        elif key in ("\r", "\n", "s"):
            self.place += 1
        else:
            typer.echo(f"  There is no key {key!r}")

    def _match(self, row: dict[str, Any], parts: list[Part]) -> None:
        from paymatch.usecases.matching import assigning

        warnings = too_much_lines(assigning.overpaid_by(self.database, self.shop, row["id"], parts))
        if warnings and not typer.confirm("\n".join(f"  {line}" for line in warnings) + "\n  Match all the same?"):
            return
        numbers = assigning.match(self.database, self.shop, row["id"], parts, utc_now())
        typer.echo(f"  Matched to {', '.join(numbers)}")
        self._next("matched")

    def _decide(self, decide: Callable[..., None], row: dict[str, Any], reason: str) -> None:
        decide(self.database, self.shop, row["id"], reason, utc_now())
        self._next("decided")

    def _next(self, deed: str) -> None:
        self.done.append((self.place, deed))
        self.place += 1

    def _undo(self) -> None:
        """Undoes the last decision of this morning, and asks for that posting again."""
        from paymatch.usecases.matching import assigning

        if not self.done:
            typer.echo("  Nothing to undo")
            return
        place, deed = self.done.pop()
        undo = assigning.unmatch if deed == "matched" else assigning.reconsider
        undo(self.database, self.shop, self.postings[place], utc_now())
        typer.echo(f"  Undone; {counted(len(self.done), 'decision')} before it")
        self.place = place


def _digits(row: dict[str, Any]) -> str:
    count = len(row["suggestions"])
    return "" if not count else "1 confirm   " if count == 1 else f"1-{count} confirm   "


def _key() -> str:
    """One key of the terminal, or one character of a script; empty at the end."""
    try:
        return typer.getchar()
    except (EOFError, KeyboardInterrupt):
        return ""
