"""Accounts that pay for several customers: a refund to such an account may not reach its customer (D-5, D-37).

The names of carriers, payment services, banks and trustees are known (`domain/matching/text/payers.py`). Others are
not: a small payment service, a family office. Their accounts show it by what they have paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from paymatch.domain.matching.text.names import Likeness, Name, best_likeness, has_surname, parse_name

SEVERAL: Final = 2
"""Customers of other names than the account holder's, from which on an account is not one customer's."""


class PaidOrder(NamedTuple):
    """An order that an account has paid: the holder's name in that payment, and the names of the order.

    `confirmed`: a refund of it went to the account after a person released it or the customer named the account.
    """

    number: str
    holder: str
    names: tuple[str, ...]
    confirmed: bool = False


def pays_for_several(paid: Sequence[PaidOrder], number: str) -> bool:
    """Whether a refund of order `number` to an account that has paid these orders may reach someone else.

    False if the account holder is named like the order or its family, if the account was confirmed for this customer,
    or if it has paid for one other customer only: people pay for partners and friends. Names distinguish customers,
    not customer numbers or e-mail addresses: one person may have several. An order without
    names, of an erased person, is left out.
    """
    others = [order for order in paid if order.names and not _is_alike(_parsed(order.holder), _parsed(*order.names))]
    own = next((_parsed(*order.names) for order in others if order.number == number), None)
    if own is None or any(order.confirmed and _is_alike(own, _parsed(*order.names)) for order in others):
        return False
    return _count_customers([_parsed(*order.names) for order in others]) >= SEVERAL


def _count_customers(orders: Sequence[tuple[Name, ...]]) -> int:
    """The number of groups of orders with alike names; two groups that a later order connects become one."""
    groups: list[list[Name]] = []
    for names in dict.fromkeys(orders):
        alike = [group for group in groups if _is_alike(names, group)]
        merged = [*names, *(name for group in alike for name in group)]
        groups = [group for group in groups if group not in alike] + [merged]
    return len(groups)


def _is_alike(one: Sequence[Name], other: Sequence[Name]) -> bool:
    """Whether two orders, or a payer and an order, are of one person, family or company, as far as names show it.

    Two companies need more than one word in common: there are many called `Logistik`.
    """
    likeness = best_likeness(one, other)
    if likeness is not Likeness.SURNAME:
        return likeness > Likeness.SURNAME
    return has_surname([name for name in one if not name.company], [name for name in other if not name.company])


def _parsed(*names: str) -> tuple[Name, ...]:
    return tuple(parse_name(name) for name in names)
