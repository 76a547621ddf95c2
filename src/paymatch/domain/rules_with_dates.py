"""Rules of banks and laws that take effect on a date: content, date, source and implementation (D-111).

A rule that is not implemented is also listed: builds warn before its date, and the doctor reports it to operators
afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

AHEAD: Final = timedelta(days=90)
"""How long before its date an unimplemented rule is reported."""


@dataclass(frozen=True, slots=True)
class DatedRule:
    """One rule. `kept_in` and `test` are paths within the repository, "" while it is not implemented.

    `look_by`: the last date for checking `source` again; after it a release may be wrong about the rule.
    `meanwhile`: what a merchant does until paymatch implements it. `unverified`: the part that no published text
    confirmed at the last check; "" for none.
    """

    name: str
    what: str
    since: date
    source: str
    look_by: date
    kept_in: str = ""
    test: str = ""
    meanwhile: str = ""
    unverified: str = ""

    @property
    def is_kept(self) -> bool:
        """Whether this release implements it."""
        return bool(self.kept_in)


def rules_to_handle(today: date, rules: Iterable[DatedRule] | None = None) -> list[DatedRule]:
    """Unimplemented rules in effect now or soon, the earliest first."""
    found = [rule for rule in _or_all(rules) if not rule.is_kept and rule.since <= today + AHEAD]
    return sorted(found, key=lambda rule: (rule.since, rule.name))


def rules_to_look_at(today: date, rules: Iterable[DatedRule] | None = None) -> list[DatedRule]:
    """Implemented rules whose source is due for a check, the longest due first."""
    found = [rule for rule in _or_all(rules) if rule.is_kept and rule.look_by < today]
    return sorted(found, key=lambda rule: (rule.look_by, rule.name))


def _or_all(rules: Iterable[DatedRule] | None) -> Iterable[DatedRule]:
    return RULES if rules is None else rules


_PAIN001: Final = "src/paymatch/formats/sepa/pain001.py"
_PAIN001_TEST: Final = "tests/formats/sepa/test_pain001.py"
_CODES: Final = "src/paymatch/formats/codes"
_CODES_TEST: Final = "tests/formats/codes"

RULES: Final = (
    DatedRule(
        "payee-check", "Banks compare the name of a payee with the account before each transfer in euro",
        date(2025, 10, 9), "Regulation (EU) 260/2012, article 5c, as of Regulation (EU) 2024/886", date(2027, 10, 1),
        "src/paymatch/formats/sepa/pain002.py", "tests/formats/sepa/test_pain002.py",
    ),
    DatedRule(
        "qr-bill-2.3", "Swiss QR-bills hold structured addresses only (version 2.3)",
        date(2025, 11, 21), "SIX, Swiss Implementation Guidelines QR-bill, version 2.3", date(2027, 9, 1),
        f"{_CODES}/swiss_qr.py", f"{_CODES_TEST}/test_swiss_qr.py",
    ),
    DatedRule(
        "mt940-ends", "Banks stop sending MT940, each on a day of its own; camt.053 takes its place",
        date(2025, 11, 21), "announcements of the banks", date(2027, 6, 1),
        "docs/statements.md", "tests/formats/mt940/test_mt940.py",
        unverified="no common day was found: each bank announces its own",
    ),
    DatedRule(
        "structured-addresses",
        "Transfers outside of SEPA name town and country of payer and payee; addresses in free lines are rejected",
        date(2026, 11, 15), "DFÜ agreement, annex 3, version 26.11; Swiss Payment Standards; CBPR+", date(2027, 9, 1),
        _PAIN001, _PAIN001_TEST,
    ),
    DatedRule(
        "pain001-03-ends", "Banks in Germany and Switzerland no longer take pain.001.001.03, only version 09",
        date(2026, 11, 16), "DFÜ agreement, annex 3, version 26.11; SIX, end of the parallel phase", date(2027, 9, 1),
        _PAIN001, _PAIN001_TEST,
        unverified="that banks in Germany reject version 03 of SEPA transfers; for Switzerland SIX says so",
    ),
    DatedRule(
        "camt-08", "Banks send camt.052, camt.053 and camt.054 in version 08; older ones end",
        date(2026, 11, 21), "SIX, end of the parallel phase; DFÜ agreement, annex 3", date(2027, 9, 1),
        "src/paymatch/formats/camt/reader.py", "tests/formats/camt/test_camt.py",
        unverified="the day, which SIX names as the release of November 2026, and the end of older versions in Germany",
    ),
    DatedRule(
        "consumer-credit",
        "Payment later than 50 days after delivery is a consumer credit, later than 14 for large online sellers",
        date(2026, 11, 20), "Directive (EU) 2023/2225, articles 2(2)(h) and 48", date(2027, 6, 1),
        "src/paymatch/domain/orders/consumer_credit.py", "tests/usecases/orders/test_consumer_credit.py",
    ),
    DatedRule(
        "withdrawal", "Money of a withdrawn order is given back within 14 days",
        date(2026, 6, 19), "Directive 2011/83/EU, article 13, and 11a as of Directive (EU) 2023/2673", date(2027, 6, 1),
        "src/paymatch/usecases/refunds/timing.py", "tests/usecases/refunds/test_refunds_at_once.py",
    ),
    DatedRule(
        "base-rate", "A new base rate of the Bundesbank and of the ECB holds",
        date(2027, 1, 1), "Bundesbank, BGB section 247", date(2027, 1, 15),
        "src/paymatch/usecases/collection/base_rates.py", "tests/usecases/work/test_doctor.py",
    ),
    DatedRule(
        "e-invoices", "Larger shops in Germany issue electronic invoices to businesses; paymatch reads their terms",
        date(2027, 1, 1), "UStG section 27 (38)", date(2027, 12, 1),
        "src/paymatch/formats/einvoices", "tests/formats/einvoices/test_einvoices.py",
    ),
    DatedRule(
        "sepa-countries", "The list of countries that SEPA transfers reach grows",
        date(2026, 10, 1), "EPC409-09", date(2027, 5, 1),
        "src/paymatch/domain/countries.py", "tests/domain/test_countries.py",
        unverified="the day: the list of EPC409-09 was not at hand in its version of 2026",
    ),
    DatedRule(
        "payment-code", "Text of the SEPA payment code",
        date(2024, 3, 1), "EPC069-12, version 3.1", date(2027, 5, 1),
        f"{_CODES}/epc_qr.py", f"{_CODES_TEST}/test_epc_qr.py",
        unverified="the day of version 3.1",
    ),
)  # fmt: skip
