"""A bookkeeper's month with all that may happen beside payments and their corrections.

Amounts change, orders come late, reminders cost, money goes between own accounts and comes back from the bank, orders
are paid in another currency, overpayments are kept, and files are exported on any day.
"""

from __future__ import annotations

from datetime import date, timedelta

from paymatch.domain.calendar import is_bank_day
from paymatch.domain.refusal import Refused
from paymatch.store.reminders import reminders
from paymatch.usecases.orders import orders
from paymatch.usecases.settlement import credits
from tests.usecases.conftest import ACCOUNT
from tests.usecases.reports.bookkeeper import BANKS, FIRST, LAST, NAMES, OTHER, Bookkeeper, Entry

FEE = 250


class FullMonth(Bookkeeper):
    """As `Bookkeeper`, with a further event on most days. Its reminders are entered without their mails."""

    PLAYED = frozenset({"a reminder by e-mail is a mail that went out, and the other way round"})

    def _day(self, today: date) -> None:
        super()._day(today)
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            self._happen(today)

    def _happen(self, today: date) -> None:
        events = [self._change, self._unset, self._keep, self._peek]
        if is_bank_day(today):
            events += [lambda: self._transfer(today), lambda: self._cross(today), lambda: self._return(today),
                       lambda: self._dun(today)]  # fmt: skip
        self.chance.choice(events)()

    def _correct(self) -> None:
        """After March has left, orders of March still come, and amounts change."""
        super()._correct()
        if self.books.now.date() > LAST:
            if self.chance.random() < 0.5:
                self._order(date(2026, 3, self.chance.randint(1, 31)))
                self.did["late order"] += 1
            self._change()
            self._unset()
            self._peek()

    def _change(self) -> None:
        """The shop submits an order again, with another amount.

        Not one that was reminded, or is paid in another currency: what its payment comes to depends on the new amount.
        """
        fixed = {each.number for each in self.entries if each.kind in ("dunned", "cross")}
        found = [
            number
            for number, each in self.orders.items()
            if not (each.is_cancelled or each.set_paid or each.returned or number in fixed or number in self.adjusted)
        ]
        if found:
            number = self.chance.choice(found)
            minor = self.chance.randrange(1000, 20000, 5)
            self._submit(number, minor)
            self.orders[number].amount = minor
            self.did["changed"] += 1

    def _unset(self) -> None:
        found = [number for number, each in self.orders.items() if each.set_paid]
        if found:
            number = self.chance.choice(found)
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                orders.set_unpaid(tx, number)
            self.orders[number].set_paid = 0
            self.did["set unpaid"] += 1

    def _keep(self) -> None:
        """An overpayment becomes the customer's credit, or income; not of a payment that the bank takes back."""
        taken_back = {each.number for each in self.entries if each.is_return}
        found = [
            number
            for number, each in self.orders.items()
            if each.paid_too_much > self.planned[number]
            and number not in taken_back
            and not (each.is_cancelled or each.set_paid or each.returned)
        ]
        if not found:
            return
        number = self.chance.choice(found)
        action, account = self.chance.choice(((credits.keep, "3500"), (credits.book_as_income, "4830")))
        over = self.orders[number].paid_too_much - self.planned[number]  # what is to be refunded is not kept
        try:
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                action(tx, number)
        except Refused:  # a refund of it is planned
            return
        self.adjusted[number] = (account, over)
        self.orders[number].credited -= over
        self.did["kept"] += 1

    def _peek(self) -> None:
        """Somebody exports some days of March on some day."""
        first = FIRST + timedelta(days=self.chance.randrange(31))
        last = first + timedelta(days=self.chance.randrange((LAST - first).days + 1))
        self.export_days(self.chance.choice(NAMES), first, last)
        self.did["exported"] += 1

    def _transfer(self, today: date) -> None:
        minor = self.chance.randrange(1000, 9000)
        if not (self._is_ahead(ACCOUNT, today) and self._is_ahead(OTHER, today)):
            return
        for account, other, sign in ((ACCOUNT, OTHER, -1), (OTHER, ACCOUNT, 1)):
            self._enter(Entry(account, today, sign * minor, "", "transfer", counterparty=other))

    def _cross(self, today: date) -> None:
        """An order in dollars is paid in euros, at the rate that the shop gave the order."""
        if not self._is_ahead(ACCOUNT, today):
            return
        number = f"N-{1000 + len(self.orders)}"
        self._order(today)
        minor = self.chance.randrange(1000, 20000, 5)
        self.bodies[number] |= {"currency": "USD", "exchangeRate": 1.25}
        self._submit(number, minor)
        self.orders[number].currency, self.orders[number].amount = "USD", minor
        self.meant.add(number)
        self._enter(Entry(ACCOUNT, today, minor * 4 // 5, "", "cross", number, credited=minor))

    def _return(self, today: date) -> None:
        """The bank takes a payment back."""
        found = [each for each in self.entries if each.kind == "named" and each.decided and not each.is_return]
        found = [
            each
            for each in found
            if not (self.orders[each.number].returned or each.number in self.adjusted or each.counterparty)
            and self._is_ahead(each.account, today)
        ]
        if found:
            entry = self.chance.choice(found)
            entry.counterparty = "DE75512108001245126199"
            self._enter(Entry(entry.account, today, -entry.minor, "", "returned", entry.number, is_return=True))

    def _dun(self, today: date) -> None:
        """A reminder with a fee went out, and the customer pays order and fee."""
        number = self._some(currency="EUR") if self._is_ahead(ACCOUNT, today) else ""
        if number:
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                reminders.add_sent(tx, number, 1, today, FEE)
            self.meant.add(number)
            owed = self.orders[number]
            self._enter(Entry(ACCOUNT, today, owed.amount + FEE, "", "dunned", number, fee=-FEE))

    def _is_ahead(self, account: str, today: date) -> bool:
        """Whether no statement has shown the day yet: what has been shown is complete."""
        return today > self.known_to[account]

    def _enter(self, entry: Entry) -> None:
        assert entry.account in BANKS
        entry.reference = f"R-{len(self.entries)}"
        self.entries.append(entry)
        self.did[entry.kind] += 1
