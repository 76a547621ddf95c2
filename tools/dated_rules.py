"""Warns of rules whose day comes and that nothing keeps, and of sources to look at again (`make check`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date

from paymatch.clock import utc_now
from paymatch.domain.rules_with_dates import RULES, DatedRule, rules_to_handle, rules_to_look_at


def warnings(today: date, rules: Sequence[DatedRule] = RULES) -> list[str]:
    """One line per rule."""
    loose, stale = rules_to_handle(today, rules), rules_to_look_at(today, rules)
    return [
        *(f"rule {rule.name}: nothing keeps it, since {rule.since}: {rule.what}" for rule in loose),
        *(f"rule {rule.name}: look at {rule.source} again, due {rule.look_by}{_doubt(rule)}" for rule in stale),
    ]


def _doubt(rule: DatedRule) -> str:
    return f"; nothing confirmed {rule.unverified}" if rule.unverified else ""


def main() -> int:
    """Prints the warnings; they stop no build."""
    found = warnings(utc_now().date())
    print("\n".join(f"warning: {line}" for line in found) or "rules with dates: all kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
