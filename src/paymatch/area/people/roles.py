"""Roles of people in a shop, and what each may do. The table is the only place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class TeamRole(StrEnum):
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

ROLES: Final[Mapping[TeamRole, frozenset[Permission]]] = {
    TeamRole.OWNER: _ALL,
    TeamRole.CLERK: frozenset(
        {Permission.READ, Permission.DECIDE, Permission.BANK, Permission.REFUND, Permission.REMIND}
    ),
    TeamRole.DEVELOPER: frozenset({Permission.READ, Permission.DEVELOP}),
    TeamRole.VIEWER: frozenset({Permission.READ}),
}


def needs_second_factor(role: TeamRole, rule: str) -> bool:
    """Whether the shop's rule (off, money, all) wants a second factor of people in this role."""
    moves_money = bool(ROLES[role] & {Permission.REFUND, Permission.BANK, Permission.MANAGE})
    return rule == "all" or (rule == "money" and moves_money)


def may(role: TeamRole, permission: Permission) -> bool:
    """True if the role has the permission."""
    return permission in ROLES[role]
