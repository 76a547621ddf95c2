"""Booking: the lines of a file are kept, and the books of their window are computed anew from all lines (D-40)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from paymatch.domain.books.statement_lines import ShownBy
from paymatch.domain.postings import Posting
from paymatch.domain.words.message import Message
from paymatch.store.ids import Ids
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.statements.booking.known_lines import Folded
from paymatch.usecases.statements.booking.places import turned_by
from paymatch.usecases.statements.booking.scratch import LOT_SIZE, Scratch, lots_of
from paymatch.usecases.statements.booking.window import Window


class ImportBooking:
    """The books during one import: what it shows is put aside, and folded with what is there at the end."""

    def __init__(
        self,
        tx: ShopTx,
        shop: ShopId,
        import_id: str,
        now: datetime,
        tell: Callable[[str, int], None],
        lot_size: int = LOT_SIZE,
    ) -> None:
        self.tx = tx
        self.shop = shop
        self.ids = Ids(now)
        self.new = 0
        self.known = 0
        self.folded = 0  # lines of the windows that were computed anew
        self.notes: list[Message] = []
        self.payer_accounts: set[str] = set()
        self.exchanged: list[Posting] = []  # instructed in another currency than the account's
        self._import_id = import_id
        self._now = now
        self._tell = tell
        self._lot_size = lot_size
        self._scratch = Scratch()

    def begin(self, statement: ShownBy) -> None:
        """The entries that follow are of this statement."""
        self._scratch.begin(statement)

    def show(self, position: int, lines: tuple[Posting, ...]) -> None:
        """Takes an entry of the statement."""
        self._scratch.add(position, lines)

    def close(self) -> None:
        """Forgets what waited."""
        self._scratch.close()

    def finish(self) -> None:
        """Folds what was shown with all lines near it, and releases what is not booked any more."""
        window = Window(self.tx, self.shop, self._import_id, self._now, undoes=False)
        for lot in self._scratch.lots(self._lot_size):
            for folded in window.fold(lot):
                self._count(folded)
                self._tell("booking", self.new + self.known)
        turned = turned_by(self.tx, self._import_id)
        for lot in lots_of(line_store.touched_by_statements(self.tx, turned), self._lot_size):
            for folded in window.fold(lot):
                self._count(folded)
        self.folded = window.lines
        window.finish(undoes_refunds=False)

    def _count(self, folded: Folded) -> None:
        own = [entry for booked, _ in folded for entry in booked.entries if entry.is_new]
        for entry in own:
            self.payer_accounts.update(_paid_from(entry.lines))
            self.exchanged += [line for line in entry.lines if line.instructed_currency not in ("", line.currency)]
        new = 0
        for booked, postings in folded:
            if all(entry.is_new for entry in booked.entries):
                new += len(postings)
            elif booked.division is None and any(entry.is_new for entry, _ in postings[0].sums):
                self.notes.append(Message("file-details-left", posting=postings[0].id))
            elif all(entry.is_new for entry, _ in postings[0].sums):
                new += sum(all(entry.is_new for entry, _ in each.lines) for each in postings)
        self.new += new
        self.known += sum(len(entry.lines) for entry in own) - new


def take_lines_away(tx: ShopTx, import_id: str, now: datetime, lot_size: int = LOT_SIZE) -> Window:
    """The books without the lines of an import, as if it had never come; what vanished waits to be released."""
    window = Window(tx, tx.shop_id, import_id, now, undoes=True)
    for lot in lots_of(line_store.touched_by(tx, import_id), lot_size):
        for _ in window.fold(lot):
            pass
    line_store.delete(tx, import_id)
    window.goes_on_without_them()
    turned = turned_by(tx, import_id)
    for lot in lots_of(line_store.touched_by_statements(tx, turned), lot_size):
        for _ in window.fold(lot):
            pass
    return window


def _paid_from(lines: Sequence[Posting]) -> Iterable[str]:
    """Accounts from which money came in; what comes back from an account that we paid is none."""
    return (
        line.counterparty_iban
        for line in lines
        if line.counterparty_iban and line.amount_minor > 0 and not line.is_return
    )
