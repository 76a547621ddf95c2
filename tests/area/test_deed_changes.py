"""What the audit log says of a deed: its fields in words, one table of JSON -> line."""

from __future__ import annotations

import pytest

CASES = [
    ('{"mark":null}', '{"by":"set paid","mark":"PAID"}', ["Mark: Paid"]),
    ('{"payment_information":false}', '{"payment_information":true}', ["Payment information for new orders: no → yes"]),
    (
        "",
        '{"account":"DE27…4212","amountMinor":2980,"currency":"CHF","order":"WT-1"}',
        ["Account: DE27…4212", "Amount: 29.80 CHF", "Order: WT-1"],
    ),
    ("", '{"refunds":["rf_1","rf_2"],"totalMinor":4470}', ["Refunds: rf_1, rf_2", "Sum: 44.70 EUR"]),
    ('{"orders":[]}', '{"orders":{"WT-1":6630}}', ["Orders: WT-1"]),
    (
        '{"status":"unmatched"}',
        '{"reason":"it","status":"ignored"}',
        ["State: No candidate → Ignored", "Reason: it"],
    ),
    ('{"levels":"7,21","opens":"09:00"}', '{"levels":"7,21","opens":"08:00"}', ["Opens: 09:00 → 08:00"]),
    ("", '{"validUntil":"2031-03-26T02:25:33Z"}', ["Valid until: 26 Mar 2031, 03:25"]),
    ("", '{"sha256":"50c577b8bf510bb0908206cd7829"}', ["SHA-256: 50c577b8…7829"]),
    ('{"role":"clerk"}', '{"role":"owner"}', ["Role: Clerk → Owner"]),
    ('{"note":"late"}', "{}", ["Note: late → –"]),
    ("", '{"rf_1":"PROCESSED"}', ["rf_1: Booked"]),
    ("", "{}", []),
]


@pytest.mark.usefixtures("service")  # Django is set up
@pytest.mark.parametrize(("before", "after", "lines"), CASES)
def test_fields_that_changed(before: str, after: str, lines: list[str]) -> None:
    from paymatch.area.views.manage.deed_changes import changes_of

    assert [str(each) for each in changes_of(before, after, "EUR", "Europe/Berlin")] == lines
