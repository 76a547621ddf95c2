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
from paymatch.domain.plurals import count_of
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.usecases.matching.assigning import Part

_FIGURES: Final = "123456789"
_KEYS: Final = "o other orders  i ignore  w wait  Enter skip  u undo  q quit"
"""With the figures before them no wider than 80 columns."""

_NO_TERMINAL: Final = Message("review-no-terminal")


@command
def review(shop: ShopArgument) -> None:
    """Decide open postings one by one: a number confirms a suggestion, other keys are shown; each can be undone."""
    with opened_shop(shop) as (database, found):
        queue = _Queue(database, found, _open_postings(database, found))
        queue.work_off()
    typer.echo(left_words(queue.matched, queue.decided, queue.left))


def _open_postings(database: Database, shop: Shop) -> list[str]:
    from paymatch.usecases.matching import queue

    with database.of_shop(shop) as tx:
        return queue.waiting_postings(tx)


@dataclass(slots=True)
class _Queue:
    """The postings of this morning, how far we are, and what was done, for undoing it."""

    database: Database
    shop: Shop
    postings: list[str]
    place: int = 0
    done: list[tuple[int, str]] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    """Keys that were typed before they were asked for."""

    @property
    def matched(self) -> int:
        """How many were matched."""
        return sum(action == "matched" for _, action in self.done)

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
            if row["status"] not in ("suggested", "unmatched"):  # decided meanwhile, by matching or another person
                self.place += 1
                continue
            typer.echo(f"\nPosting {self.place + 1} of {len(self.postings)}")
            typer.echo(
                "\n".join([*posting_lines(row), *suggestion_lines(row, orders_named(self.database, self.shop, row))])
            )
            if self._ask_until_left(row):
                return

    def _undoes_the_last(self) -> bool:
        """At the end: whether the person undoes the last decision instead of leaving."""
        if not self.done:
            return False
        undone = self._key("\nThat was the last one  [u undo   Enter finish] ") == "u"
        if undone:
            self._undo()
        return undone

    def _ask_until_left(self, row: dict[str, Any]) -> bool:
        """Asks for keys until one has decided the posting or gone on; True if the person leaves."""
        while True:
            key = self._key(f"  [{_digits(row)}{_KEYS}] ")
            if key in ("q", "\x03", "\x04", ""):
                return True
            try:
                if self._carried_out(key, row):
                    return False
            except Refused as error:
                typer.echo(f"  {error}")
            except typer.Abort:
                typer.echo("\n  Nothing was done")

    def _carried_out(self, key: str, row: dict[str, Any]) -> bool:
        """Does what the key says; False if nothing came of it, and another is asked for."""
        from paymatch.usecases.matching import assigning

        if key in _FIGURES[: len(row["suggestions"])]:
            return self._match(row, parts_of(row["suggestions"][_FIGURES.index(key)], row["currency"]))
        if key == "o":
            words = _prompt("Orders (ORDER, ORDER=AMOUNT or ORDER=AMOUNT+FEE, with spaces between)")
            return self._match(row, read_parts(_split(words), row["currency"]))
        if key == "i":
            reason = typer.prompt("  Why (may be empty)", default="", show_default=False)
            return self._decide(assigning.ignore, row, reason)
        if key == "w":
            return self._decide(assigning.set_aside, row, _prompt("What is it waiting for"))
        if key == "u":
            return self._undo()
        if key in ("\r", "\n", "s"):
            self.place += 1
            return True
        typer.echo("  There is no such key")
        return False

    def _key(self, prompt: str) -> str:
        """One key, in lower case; empty at the end. Keys like arrows come as several characters at once."""
        typer.echo(prompt, nl=False)
        try:
            read = self.typed.pop(0) if self.typed else typer.getchar()
        except (EOFError, KeyboardInterrupt):
            read = ""
        except OSError as error:
            raise SettingRefused(_NO_TERMINAL) from error
        key, further = (read, "") if read.startswith("\x1b") else (read[:1].lower(), read[1:])
        self.typed.extend(further)
        typer.echo(key if key.isprintable() else "")
        return key

    def _match(self, row: dict[str, Any], parts: list[Part]) -> bool:
        from paymatch.usecases.matching import assigning

        warnings = too_much_lines(assigning.overpaid_by(self.database, self.shop, row["id"], parts))
        if warnings and not typer.confirm("\n".join(f"  {line}" for line in warnings) + "\n  Match anyway?"):
            return False
        numbers = assigning.match(self.database, self.shop, row["id"], parts, utc_now())
        typer.echo(f"  Matched to {', '.join(numbers)}")
        return self._next("matched")

    def _decide(self, decide: Callable[..., None], row: dict[str, Any], reason: str) -> bool:
        decide(self.database, self.shop, row["id"], reason, utc_now())
        return self._next("decided")

    def _next(self, action: str) -> bool:
        self.done.append((self.place, action))
        self.place += 1
        return True

    def _undo(self) -> bool:
        """Undoes the last decision of this morning, and asks for that posting again."""
        from paymatch.usecases.matching import assigning

        if not self.done:
            typer.echo("  Nothing to undo")
            return False
        place, action = self.done.pop()
        undo = assigning.unmatch if action == "matched" else assigning.reconsider
        undo(self.database, self.shop, self.postings[place], utc_now())
        earlier = f"; {count_of(len(self.done), 'earlier decision')} can be undone too" if self.done else ""
        typer.echo(f"  Undone{earlier}")
        self.place = place
        return True


def _digits(row: dict[str, Any]) -> str:
    count = len(row["suggestions"])
    return "" if not count else "1 confirm  " if count == 1 else f"1-{count} confirm  "


def _prompt(words: str) -> str:
    """What the person types; Abort if that is nothing, which is how to go back."""
    answer = str(typer.prompt(f"  {words}, empty to go back", default="", show_default=False)).strip()
    if not answer:
        raise typer.Abort
    return answer


def _split(words: str) -> list[str]:
    """Words as a shell splits them; where quotes are not closed, as an apostrophe in a number, at the spaces."""
    try:
        return shlex.split(words)
    except ValueError:
        return words.split()
