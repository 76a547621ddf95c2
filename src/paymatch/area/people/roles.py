"""Roles of people in a shop, and what each may do. The table is the only place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    OWNER = "owner"
    CLERK = "clerk"
    DEVELOPER = "developer"
    VIEWER = "viewer"


class Permission(StrEnum):
    """What a page or an action needs."""

    READ = "read"  # see orders, postings, refunds, reports
    DECIDE = "decide"  # match, set aside, mark orders, write comments
    BANK = "bank"  # import statements, undo imports, resolve lines
    REFUND = "refund"  # file and release refunds
    REMIND = "remind"  # reminders, texts, letters
    DEVELOP = "develop"  # keys, callbacks, requests, the sandbox
    MANAGE = "manage"  # settings, accounts, team, limits, audit log


_ALL: Final = frozenset(Permission)

ROLES: Final[Mapping[Role, frozenset[Permission]]] = {
    Role.OWNER: _ALL,
    Role.CLERK: frozenset({Permission.READ, Permission.DECIDE, Permission.BANK, Permission.REFUND, Permission.REMIND}),
    Role.DEVELOPER: frozenset({Permission.READ, Permission.DEVELOP}),
    Role.VIEWER: frozenset({Permission.READ}),
}


def needs_second_factor(role: Role, rule: str) -> bool:
    """Whether the shop's rule (off, money, all) wants a second factor of people in this role."""
    moves_money = bool(ROLES[role] & {Permission.REFUND, Permission.BANK, Permission.MANAGE})
    return rule == "all" or (rule == "money" and moves_money)


def may(role: Role, permission: Permission) -> bool:
    """True if the role has the permission."""
    return permission in ROLES[role]
