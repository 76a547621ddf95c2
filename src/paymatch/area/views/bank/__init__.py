"""The bank's pages: import statements, see gaps, correct unreadable entries, undo.

Given files and forms of people; hands them to `usecases/statements`.
"""

from typing import Final

from paymatch.area.views.bank import (
    account_information,
    accounts,
    advices,
    ebics,
    feeds,
    fints,
    fints_transfer,
    mapping,
    past,
    question,
    settlement,
    statements_home,
)

PAGES: Final = (
    accounts,
    statements_home,
    feeds,
    ebics,
    account_information,
    fints,
    fints_transfer,
    mapping,
    past,
    advices,
    question,
    settlement,
)
