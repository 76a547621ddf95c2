"""Old decisions found again among postings: by reference, by day and amount, by the parts of a payment."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.replays.old_decisions import NEAR_DAYS, OldDecision, ReplayedPosting, find_decisions

DAY = date(2026, 3, 10)


def posting(key: str, name: str, text: str = "", minor: int = 7000, **more: object) -> ReplayedPosting:
    """A posting of DAY; `ours` are the orders that it was assigned to here."""
    ours = more.pop("ours", ())
    assert isinstance(ours, tuple)
    base = Posting("DE89370400440532013000", EUR, minor, DAY, counterparty_name=name, remittance_lines=(text,))
    return ReplayedPosting(key, replace(base, **more), ours)  # type: ignore[arg-type]


def row(number: str, minor: int = 7000, days: int = 0, **more: str) -> OldDecision:
    return OldDecision(DAY + timedelta(days=days), minor, number, **more)


def test_decisions_are_found_by_day_and_amount_and_distinguished_by_the_rest() -> None:
    postings = [
        posting("p1", "Ada Berg", "one"), posting("p2", "Bo Christ", "two"), posting("p3", "Cy Dorn", "three"),
        posting("p4", "Di Ernst", "four", 9000),
    ]  # fmt: skip
    decisions = [
        row("C"), row("B", name="Bo Christ"), row("A", text="ONE"), row("D1", 9000), row("D2", 9000), row("E", 1),
    ]  # fmt: skip
    found = find_decisions(decisions, postings)
    assert found.orders == {"p1": ("A",), "p2": ("B",), "p3": ("C",), "p4": ("D1", "D2")}
    assert found.left == (row("E", 1),)


def test_a_decision_for_no_order_is_kept() -> None:
    assert find_decisions([row("")], [posting("p1", "Ada")]).orders == {"p1": ()}


def test_what_nothing_distinguishes_goes_where_its_order_is_and_else_nowhere() -> None:
    one, two = posting("p1", "Ada", ours=("A",)), posting("p2", "Bo", ours=("B",))
    assert find_decisions([row("B"), row("A")], [one, two]).orders == {"p1": ("A",), "p2": ("B",)}
    # One agrees; the other row is about the posting that is left.
    assert find_decisions([row("X"), row("B")], [one, two]).orders == {"p1": ("X",), "p2": ("B",)}
    # Nothing agrees: which of the two was meant is not known, and a guess would be a difference.
    assert find_decisions([row("X"), row("Y")], [one, two]).orders == {}
    assert find_decisions([row("X")], [one, two]).left == (row("X"),)
    assert find_decisions([row("X"), row("X")], [one, two]).orders == {"p1": ("X",), "p2": ("X",)}


def test_a_day_a_few_off_needs_payer_account_text_or_order() -> None:
    paid = posting("p1", "Ada Berg", "thanks", ours=("A",), counterparty_iban="DE1")
    for days in range(-NEAR_DAYS, NEAR_DAYS + 1):
        assert find_decisions([row("B", days=days, name="Ada Berg")], [paid]).orders == {"p1": ("B",)}
        assert find_decisions([row("B", days=days, account="DE1")], [paid]).orders == {"p1": ("B",)}
        assert find_decisions([row("A", days=days)], [paid]).orders == {"p1": ("A",)}
        assert find_decisions([row("B", days=days)], [paid]).orders == ({} if days else {"p1": ("B",)})
    for days in (-NEAR_DAYS - 1, NEAR_DAYS + 1):
        assert find_decisions([row("A", days=days, name="Ada Berg")], [paid]).orders == {}
    # The day itself comes first.
    later = replace(paid, id="p2", posting=replace(paid.posting, booking_date=DAY + timedelta(days=1)))
    rows = [row("B", days=1, name="Ada Berg"), row("A", name="Ada Berg")]
    assert find_decisions(rows, [later, paid]).orders == {"p1": ("A",), "p2": ("B",)}


def test_rows_of_one_payer_are_the_parts_of_one_payment() -> None:
    paid, other = posting("p1", "Ada Berg", counterparty_iban="DE1"), posting("p2", "Bo", counterparty_iban="DE2")
    parts = [row("A", 3000, account="DE1"), row("B", 4000, account="DE1")]
    assert find_decisions(parts, [paid, other]).orders == {"p1": ("A", "B")}
    assert find_decisions([replace(each, account="") for each in parts], [paid]).orders == {}
    assert find_decisions([replace(each, account="DE3") for each in parts], [paid, other]).left == tuple(
        replace(each, account="DE3") for each in parts
    )


def test_the_banks_reference_says_which_payment_is_meant() -> None:
    one = posting("p1", "Ada", bank_reference="2026-03-10/17")
    two = posting("p2", "Ada", end_to_end_id="E 99")
    undated = [OldDecision(None, None, number, reference=named) for number, named in
               (("A", "2026031017"), ("B", "e99"), ("C", "E99"), ("D", "X"))]  # fmt: skip
    found = find_decisions(undated, [one, two])
    assert found.orders == {"p1": ("A",), "p2": ("B", "C")}
    assert found.left == (undated[3],)


_ROWS = st.lists(
    st.builds(row, st.sampled_from(["A", "B", "C", ""]), st.sampled_from([3000, 4000, 7000]), st.integers(-4, 4),
              name=st.sampled_from(["", "Ada Berg", "Bo Christ"])), max_size=8,
)  # fmt: skip
_POSTINGS = st.lists(
    st.tuples(st.sampled_from(["Ada Berg", "Bo Christ"]), st.sampled_from([3000, 4000, 7000]),
              st.sampled_from([(), ("A",), ("B",)])), max_size=5,
)  # fmt: skip


@given(_ROWS, _POSTINGS)
def test_each_decision_is_used_once_or_left(
    rows: list[OldDecision], drawn: list[tuple[str, int, tuple[str, ...]]]
) -> None:
    postings = [posting(f"p{place}", name, "", minor, ours=ours) for place, (name, minor, ours) in enumerate(drawn)]
    found = find_decisions(rows, postings)
    assert set(found.orders) <= {each.id for each in postings}
    assert not [each for each in found.left if each not in rows]
    used = {number for numbers in found.orders.values() for number in numbers}
    assert used <= {each.order_number for each in rows}
    assert len(found.orders) <= len(rows) - len(found.left)


def test_decisions_about_other_payments_change_nothing_and_are_left() -> None:
    postings = [posting("p1", "Ada Berg", "one"), posting("p2", "Bo Christ", "two"), posting("p3", "Cy Dorn", minor=90)]
    near = [row("B", name="Bo Christ"), row("A", days=2, text="ONE"), row("C", 90)]
    others = [row(f"N{place}", 100 + place % 90, place % 7 - 3) for place in range(300)]
    alone = find_decisions(near, postings)
    assert alone.orders == {"p1": ("A",), "p2": ("B",), "p3": ("C",)}
    among = find_decisions([*others[:150], *near, *others[150:]], postings)
    assert among.orders == alone.orders
    assert sorted(each.order_number for each in among.left) == sorted(each.order_number for each in others)
