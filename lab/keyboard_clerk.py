"""How many postings an hour a clerk decides without a mouse: `python -m lab.keyboard_clerk` (needs Chromium).

A script presses the keys that a clerk would press in the demo's queue. Thinking is not waited for, it is counted: 4 s
for a clear posting, 5 s for one whose fee or difference has to be confirmed, 12 s for one that no order fits. A posting
without an order is clear where the page says what it is, because the payer's last one was so, or because its text says
it. What the page takes from the key to the next posting is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from typing import Any, Final

from playwright.sync_api import TimeoutError as NotInTime
from playwright.sync_api import sync_playwright

from lab.pictures import CHROMIUM, signed_in, with_demo

GOAL: Final = 650
THINKS: Final = {"clear": 4.0, "confirmed": 5.0, "unclear": 12.0}
"""Seconds before the first key."""
_SHOWN: Final = "() => document.querySelector('.q-row[aria-current] a')?.pathname ?? ''"
_ASKS: Final = "() => !!document.querySelector('#q-sure')"
_HAS_CANDIDATE: Final = "() => !!document.querySelector('#q-book')"
_SAYS_WHAT: Final = "() => !!document.querySelector('#q-aside .q-usual-last')"
_MOVED: Final = (
    "before => document.readyState === 'complete' && (!!document.querySelector('#q-sure')"
    " || (document.querySelector('.q-row[aria-current] a')?.pathname ?? '') !== before)"
)


def decide(page: Any) -> tuple[str, float]:
    """(what kind of decision the shown posting was, seconds that the page took for it)."""
    before, begun = page.evaluate(_SHOWN), time.perf_counter()
    if not page.evaluate(_HAS_CANDIDATE):
        is_told = page.evaluate(_SAYS_WHAT)
        page.keyboard.press("x")
        page.keyboard.press("x" if is_told else "1")
        page.wait_for_function(_MOVED, arg=before)
        return "clear" if is_told else "unclear", time.perf_counter() - begun
    page.keyboard.press("Enter")
    page.wait_for_function(_MOVED, arg=before)
    if not page.evaluate(_ASKS):
        return "clear", time.perf_counter() - begun
    page.keyboard.press("Enter")
    page.wait_for_function(
        "before => !document.querySelector('#q-sure') && document.readyState === 'complete'"
        " && (document.querySelector('.q-row[aria-current] a')?.pathname ?? '') !== before",
        arg=before,
    )
    return "confirmed", time.perf_counter() - begun


def work(page: Any, most: int) -> list[tuple[str, float]]:
    """Decides postings until the list is empty, a key has no effect, or so many are done."""
    done: list[tuple[str, float]] = []
    while len(done) < most and page.evaluate(_SHOWN):
        try:
            done.append(decide(page))
        except NotInTime:
            print(f"stopped at {page.url}", file=sys.stderr)
            break
    return done


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
    kinds = Counter(kind for kind, _taken in done)
    seconds = sum(THINKS[kind] + taken for kind, taken in done)
    an_hour = round(3600 * len(done) / seconds) if done else 0
    said = {
        "decisions": len(done), **kinds, "an_hour": an_hour,
        "page_ms_median": round(1000 * statistics.median(taken for _kind, taken in done)) if done else 0,
    }  # fmt: skip
    print(json.dumps(said))
    return int(an_hour < GOAL)


if __name__ == "__main__":
    sys.exit(main())
