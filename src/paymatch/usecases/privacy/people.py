"""Identification of a person, and the shop's data about them: orders, payments, refunds, and identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from paymatch.domain.privacy.person import (
    CustomerIdentity,
    Identifier,
    IdentityKind,
    PersonRefused,
    Sought,
    accounts_of,
    customer_of,
    is_named,
    name_of,
    pattern_of,
)
from paymatch.domain.reports.ledger import invoice_id
from paymatch.domain.words.message import Message
from paymatch.store.privacy import finding
from paymatch.store.privacy.erasing import ErasureTarget
from paymatch.store.transactions import ShopTx

MOST_ORDERS: Final = 2_000
"""More orders are not one person's: the address or number is the shop's common default."""


@dataclass(frozen=True, slots=True)
class Person:
    """The shop's data on a person. `shared` are values that other customers have, too: theirs stay."""

    target: ErasureTarget
    identifiers: frozenset[Identifier]
    shared: frozenset[Identifier]
    unsettled: tuple[Message, ...]  # why the data is still needed
    file_names: tuple[str, ...] = ()  # ids of print runs and cases, whose files hold their letters and dossiers

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which the person ordered, paid, or was requested."""
        return tuple(sorted(each.value for each in self.identifiers if each.kind is IdentityKind.NAME))


class Again(NamedTuple):
    """A person who was erased before: their rows, by numbers that outlive the erasure."""

    orders: tuple[str, ...]
    postings: tuple[str, ...]


def orders_of(tx: ShopTx, asked: Sought | Again) -> list[str]:
    """The numbers of the person's orders, to lock before the rest is searched. PersonRefused as in `find`."""
    return sorted(_orders(tx, asked))


def find(tx: ShopTx, asked: Sought | Again) -> Person:
    """The requested person. PersonRefused if no one or too many are found."""
    documents = _orders(tx, asked)
    if len(documents) > MOST_ORDERS:
        raise PersonRefused(Message("person-many", count=len(documents)))
    orders = tuple(sorted(documents))
    payments = finding.payments_of(tx, orders)
    if isinstance(asked, Again):
        payments += finding.naming_payments(tx, asked.postings)
        if not any(customer_of(doc).identifiers for doc in documents.values()) and not any(
            finding.naming_payments(tx, [paid.id for paid in payments])
        ):
            raise PersonRefused(Message("person-unknown"))
    refunds = finding.refunds_of(tx, orders)
    ibans = {paid.iban for paid in payments if paid.is_own} | set(refunds.values())
    ibans |= set() if isinstance(asked, Again) else {asked.iban}
    ibans -= {"", *finding.accounts_of_others(tx, ibans, orders)}
    identifiers = frozenset(_identifiers(documents, asked) | accounts_of(ibans))
    shared = frozenset(
        each for each in identifiers if each.kind is not IdentityKind.IBAN and finding.is_of_others(tx, orders, each)
    )
    pattern = pattern_of(identifiers - shared)
    postings = {paid.id for paid in payments if paid.is_own} | finding.postings_naming(tx, ibans, pattern)
    if not orders and not postings:
        raise PersonRefused(Message("person-unknown"))
    found = tuple(sorted(postings))
    target = ErasureTarget(orders, found, tuple(sorted(refunds)), tuple(sorted(ibans)), pattern)
    open_things = tuple(finding.open_matters(tx, orders, found))
    return Person(target, identifiers, shared, open_things, _file_names(tx, orders))


def _file_names(tx: ShopTx, orders: tuple[str, ...]) -> tuple[str, ...]:
    """Identifiers of print runs and cases, and of invoices in packages for bookkeepers."""
    invoices = finding.invoices_of(tx, orders)
    packed = tuple(invoice_id(tx.shop.id, number, invoice) for number, invoice in invoices)
    return (*finding.names_of_files(tx, orders), *packed)


def _orders(tx: ShopTx, asked: Sought | Again) -> dict[str, Mapping[str, Any]]:
    """The orders that agree with all given details, and all others with the same address or customer number."""
    if isinstance(asked, Again):
        return _with_all_of_theirs(tx, finding.documents(tx, asked.orders))
    found: dict[str, Mapping[str, Any]] | None = None
    if asked.email:
        found = finding.orders_of(tx, [asked.email], [])
    if asked.customer:
        found = _both(found, finding.orders_of(tx, [], [asked.customer]))
    if asked.name:
        named = finding.orders_naming(tx, name_of(asked.name).pattern)
        found = _both(found, {number: doc for number, doc in named.items() if is_named(customer_of(doc), asked.name)})
    if asked.iban:
        paid = finding.orders_of_account(tx, asked.iban)
        documents = finding.documents(tx, paid)
        if len({_who(customer_of(doc)) for doc in documents.values()}) > 1:
            raise PersonRefused(Message("person-shared-account"))
        found = _both(found, documents)
    return _with_all_of_theirs(tx, found or {})


def _both(
    found: dict[str, Mapping[str, Any]] | None, more: dict[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    return more if found is None else {number: doc for number, doc in found.items() if number in more}


def _who(customer: CustomerIdentity) -> str:
    return customer.number or customer.email.lower() or "".join(customer.names)


def _with_all_of_theirs(tx: ShopTx, found: dict[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    while 0 < len(found) <= MOST_ORDERS:
        customers = [customer_of(doc) for doc in found.values()]
        emails = {customer.email for customer in customers} - {""}
        numbers = {customer.number for customer in customers} - {""}
        more = finding.orders_of(tx, emails, numbers) | found
        if len(more) == len(found):
            break
        found = more
    return found


def _identifiers(documents: Mapping[str, Mapping[str, Any]], asked: Sought | Again) -> set[Identifier]:
    found = {each for doc in documents.values() for each in customer_of(doc).identifiers}
    if isinstance(asked, Again):
        return found
    if asked.email:
        found.add(Identifier(IdentityKind.EMAIL, asked.email))
    if asked.name:
        found.add(name_of(asked.name))
    return found
