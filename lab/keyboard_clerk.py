"""How many postings an hour a clerk decides without a mouse: `python -m lab.keyboard_clerk` (needs Chromium).

A script presses the keys that a clerk would press in the demo's queue. Thinking is not waited for, it is counted: 4 s
for a clear posting, 5 s for one with a fee or another difference, 12 s for an unclear one. Which one it is follows
from the page, if what the page proposes is what the demo's customer did; a posting with a wrong proposal or with none
is unclear. What the page takes from the key to the next posting is measured.

A second figure does not believe the page: a posting is clear only if payer or text lead to the order and the amount is
the order's (`paid_orders`), and unclear if the clerk would have to know more than the bank says.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from playwright.sync_api import TimeoutError as NotInTime
from playwright.sync_api import sync_playwright

from lab.pictures import CHROMIUM, signed_in, with_demo
from paymatch.cli.demo.customers import bank_story
from paymatch.cli.demo.life import ZONE
from paymatch.cli.demo.orders import DemoOrder, demo_orders
from paymatch.cli.demo.three_months import bank_days_before
from paymatch.domain.money import minor_to_text

GOAL: Final = 650
THINKS: Final = {"clear": 4.0, "confirmed": 5.0, "unclear": 12.0}
"""Seconds before the first key."""
Decision = tuple[str, str, float]
"""(kind by the bank's words alone, kind with the page's right proposals, seconds that the page took)."""
_PAYER: Final = "() => document.querySelector('.q-row[aria-current] .q-who')?.textContent.trim() ?? ''"
_AMOUNT: Final = "() => document.querySelector('.q-row[aria-current] .q-sum')?.textContent.trim().split(/\\s/)[0] ?? ''"
_SHOWN: Final = "() => document.querySelector('.q-row[aria-current] a')?.pathname ?? ''"
_ASKS: Final = "() => !!document.querySelector('#q-sure')"
_PROPOSED: Final = "() => document.querySelector('#q-book button')?.textContent ?? ''"
_SAYS_WHAT: Final = "() => !!document.querySelector('#q-aside .q-usual-last')"
_MOVED: Final = (
    "before => document.readyState === 'complete' && (!!document.querySelector('#q-sure')"
    " || (document.querySelector('.q-row[aria-current] a')?.pathname ?? '') !== before)"
)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a customer of the demo did: which order the payment is for, and what the bank's words make of it."""

    order: str
    kind: str


def paid_orders(today: date) -> dict[tuple[str, str], Truth]:
    """(payer in small letters, amount) of what the demo's bank books for one order -> the truth.

    Clear: payer or text lead to the order, and the amount is the order's. Confirmed: they do, but the amount is
    another one. All else is unclear: strangers, numbers of other orders.
    """
    days = bank_days_before(today)
    orders = {order.number: order for order in demo_orders(days[-1])}
    found: dict[tuple[str, str], Truth] = {}
    for call in (
        call for calls in bank_story(list(orders.values()), days[0], days[-1]).days.values() for call in calls
    ):
        order = orders.get(str(call.body.get("orderNumber", "")))
        if order is None or call.path != "sandbox/payments":
            continue
        payer, amount = str(call.body.get("payer", order.name)).lower(), str(call.body["amount"])
        is_led = _leads_to(order, payer, str(call.body["text"]))
        is_exact = amount == minor_to_text(order.amount_minor, order.currency)
        found[payer, amount] = Truth(order.number, ("clear" if is_exact else "confirmed") if is_led else "unclear")
    return found


def _leads_to(order: DemoOrder, payer: str, text: str) -> bool:
    """Whether the payer has the customer's family name, or the text has the order's number."""
    return order.name.lower().split()[-1] in payer.split() or order.number in text


def decide(page: Any, order: str) -> tuple[str, float]:
    """(what the page made of the posting, seconds that it took for the decision); `order` is whose money it is."""
    before, label, begun = page.evaluate(_SHOWN), page.evaluate(_PROPOSED), time.perf_counter()
    if not label:
        proposes = page.evaluate(_SAYS_WHAT)
        page.keyboard.press("x")
        page.keyboard.press("x" if proposes else "1")
        page.wait_for_function(_MOVED, arg=before)
        return "clear" if proposes and not order else "unclear", time.perf_counter() - begun
    is_right = bool(order) and order in label
    page.keyboard.press("Enter")
    page.wait_for_function(_MOVED, arg=before)
    if not page.evaluate(_ASKS):
        return "clear" if is_right else "unclear", time.perf_counter() - begun
    page.keyboard.press("Enter")
    page.wait_for_function(
        "before => !document.querySelector('#q-sure') && document.readyState === 'complete'"
        " && (document.querySelector('.q-row[aria-current] a')?.pathname ?? '') !== before",
        arg=before,
    )
    return "confirmed" if is_right else "unclear", time.perf_counter() - begun


def work(page: Any, most: int) -> list[Decision]:
    """Decides postings until the list is empty, a key has no effect, or so many are done."""
    done, paid = list[Decision](), paid_orders(datetime.now(ZONE).date())
    while len(done) < most and page.evaluate(_SHOWN):
        posting = page.evaluate(_PAYER).lower(), page.evaluate(_AMOUNT).replace(",", "")
        try:
            truth = paid.get(posting, Truth("", "unclear"))
            done.append((truth.kind, *decide(page, truth.order)))
        except NotInTime:
            print(f"stopped at {page.url}", file=sys.stderr)
            break
    return done


def an_hour(done: list[Decision], place: int) -> int:
    """Decisions an hour, with the kind at this place of each."""
    return round(3600 * len(done) / sum(THINKS[str(each[place])] + each[2] for each in done)) if done else 0


def main() -> int:
    """1 if a clerk decides fewer postings an hour than the goal."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--postings", type=int, default=60)
    asked.add_argument("--port", type=int, default=8421)
    wanted = asked.parse_args()
    with with_demo(wanted.port) as link, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        base = link.partition("/login/")[0]
        page = browser.new_context(
            base_url=base, storage_state=signed_in(browser, link), reduced_motion="reduce",
            viewport={"width": 1400, "height": 1000},
        ).new_page()  # fmt: skip
        page.set_default_timeout(15_000)
        page.goto("/")
        page.goto(page.url.partition("/overview")[0] + "/postings")
        done = work(page, wanted.postings)
        browser.close()
    by_data, by_page = (Counter(str(each[place]) for each in done) for place in (0, 1))
    found = an_hour(done, 1)
    said = {
        "decisions": len(done), "an_hour": found, "kinds": by_page,
        "an_hour_by_the_words_alone": an_hour(done, 0), "kinds_by_the_words_alone": by_data,
        "page_ms_median": round(1000 * statistics.median(each[2] for each in done)) if done else 0,
    }  # fmt: skip
    print(json.dumps(said))
    return int(found < GOAL)


if __name__ == "__main__":
    sys.exit(main())
