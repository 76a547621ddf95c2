"""The pictures of the merchant area in docs/pictures, taken from the demo: `python -m lab.pictures` (needs Chromium).

With `--link` a demo that runs already is looked at: the link is the one that it printed. `--themes light,dark` and
`--languages en,de` take more than the documents show.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, StorageState

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "pictures"
CHROMIUM: Final = "/usr/bin/chromium"
WIDTHS: Final = ((1400, 1000), (390, 844))
COLOURS: Final = 256
TALLEST: Final = 2400
"""Pixels of a page that are shown; what lies below is more of the same list."""

PAGES: Final[Sequence[tuple[str, str, str]]] = (
    ("overview", "overview", ""),
    ("alerts", "overview/alerts", ""),
    ("postings", "postings", ""),
    ("posting-without-candidate", "postings?kind=without", ".q-row:nth-child(4) .q-link"),
    ("orders", "orders", ""),
    ("order", "orders?status=PAID", "table.rows tbody a"),
    ("bank", "bank", ""),
    ("payouts", "payouts", ""),
    ("payout-fees", "payouts/fees", ""),
    ("refunds", "refunds", ""),
    ("reminders", "reminders", ""),
    ("reminder-plan", "reminders/plan", ""),
    ("reminder-texts", "reminders/texts", ""),
    ("reports", "reports", ""),
    ("callbacks", "callbacks", ""),
    ("callback", "callbacks?status=given-up", "table.rows tbody a"),
    ("developers", "developers", ""),
    ("requests", "developers/requests", ""),
    ("request", "developers/requests?status=refused", "table.rows tbody a"),
    ("try", "developers/try", ""),
    ("sandbox", "developers/sandbox", ""),
    ("new-key", "developers/keys/new", ""),
    ("settings", "settings", ""),
    ("settings-refunds", "settings/refunds", ""),
    ("settings-agency", "settings/agency", ""),
    ("collection", "order-collection", ""),
    ("synchronisations", "order-synchronisations", ""),
    ("settings-sign-in", "settings/sign-in", ""),
    ("team", "settings/team", ""),
    ("audit-log", "settings/audit", ""),
    ("second-factor", "/account/2fa/", ""),
    ("sessions", "/account/sessions/", ""),
    ("not-found", "orders/none", ""),
    ("installation", "/operator/", ""),
    ("installation-shops", "/operator/shops", ""),
    ("installation-people", "/operator/people", ""),
)
"""Name of the picture, address (of the shop unless it begins with a slash), and the link to follow from there."""


def main() -> int:
    """Takes the pictures; 1 if a page could not be shown."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--link", default="", help="sign-in link of a demo that runs")
    asked.add_argument("--folder", type=Path, default=FOLDER)
    asked.add_argument("--port", type=int, default=8419)
    asked.add_argument("--themes", default="light")
    asked.add_argument("--languages", default="en")
    asked.add_argument("--only", default="", help="names of pictures, comma separated")
    wanted = asked.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    if wanted.link:
        return _take(wanted.link, wanted)
    with with_demo(wanted.port) as link:
        return _take(link, wanted)


@contextmanager
def with_demo(port: int) -> Iterator[str]:
    """A demo of its own, whose owner is an operator too; the link that it printed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # PostgreSQL's account passes it
        environment = os.environ | {"PAYMATCH_DATA_DIR": f"{folder}/demo"}
        paymatch = [sys.executable, "-m", "paymatch"]
        demo = subprocess.Popen(
            [*paymatch, "demo", "--port", str(port)], env=environment, text=True, stdout=subprocess.PIPE
        )
        try:
            assert demo.stdout is not None
            link = next(line.strip() for line in demo.stdout if "/login/link/" in line)
            staff = [*paymatch, "user", "create", "owner@demo.example", "--staff"]
            subprocess.run(staff, env=environment, check=True, stdout=subprocess.DEVNULL)
            yield link
        finally:
            demo.send_signal(signal.SIGTERM)
            demo.wait(60)


def _take(link: str, wanted: argparse.Namespace) -> int:
    parts = urlsplit(link)
    names = {name for name in wanted.only.split(",") if name}
    failed = 0
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        state = signed_in(browser, link)
        for theme in wanted.themes.split(","):
            for language in wanted.languages.split(","):
                more = "" if (theme, language) == ("light", "en") else f"-{theme}-{language}"
                for width, height in WIDTHS:
                    context = browser.new_context(
                        base_url=f"{parts.scheme}://{parts.netloc}", storage_state=state, color_scheme=theme,
                        viewport={"width": width, "height": height}, reduced_motion="reduce",
                    )  # fmt: skip
                    page = context.new_page()
                    shop = _shop(page)
                    _speak(page, shop, language)
                    for name, address, follow in PAGES:
                        if not names or name in names:
                            path = wanted.folder / f"{name}{more}-{width}.png"
                            failed += not _picture(page, shop, address, follow, path)
                    if not names or "customer-page" in names:
                        _customer_page(page, shop, wanted.folder / f"customer-page{more}-{width}.png")
                    _sign_in_page(browser, context, parts.netloc, wanted.folder / f"sign-in{more}-{width}.png", width)
                    context.close()
        browser.close()
    return 1 if failed else 0


def signed_in(browser: Browser, link: str) -> StorageState:
    """What a browser keeps of somebody whom the link has signed in."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.locator("form button.btn-primary").click()
    page.wait_for_load_state()
    state = context.storage_state()
    context.close()
    return state


def _shop(page: Page) -> str:
    """The beginning of the addresses of the person's shop."""
    page.goto("/")
    found = next((part for part in page.url.split("/shops/")[1:]), "")
    if not found:
        page.goto("/operator/shops")
        found = page.locator("form[action^='/operator/shops/']").first.get_attribute("action") or ""
        found = found.rpartition("/")[2]
    return f"/shops/{found.partition('/')[0]}/"


def _speak(page: Page, shop: str, language: str) -> None:
    """The person reads this language from now on."""
    page.goto(f"{shop}overview")
    if page.locator("html").get_attribute("lang") != language:
        page.evaluate("name => document.querySelector(`button[name=language][value=${name}]`).click()", language)
        page.wait_for_load_state("networkidle")


def _picture(page: Page, shop: str, address: str, follow: str, path: Path) -> bool:
    """Whether the page was shown, without an error of its scripts, and not wider than the window."""
    page.goto(address if address.startswith("/") else shop + address)
    if follow:
        if not page.locator(follow).count():
            print(f"{path.name}: nothing to follow on {address}")
            return False
        page.goto(page.locator(follow).first.get_attribute("href") or address)
    page.wait_for_load_state("networkidle")
    height = page.evaluate("document.documentElement.scrollHeight")
    width = page.evaluate("window.innerWidth")
    page.set_viewport_size({"width": width, "height": min(max(height, 844), TALLEST)})  # the frame ends where it does
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if over > 0:
        print(f"{path.name}: {over} px wider than the window")
    _save(page.screenshot(), path)
    page.set_viewport_size({"width": width, "height": dict(WIDTHS)[width]})
    return bool(over <= 0)


def _customer_page(page: Page, shop: str, path: Path) -> None:
    """The page of an order that its customer sees, reached by the link that the order's page shows."""
    page.goto(f"{shop}orders?status=UNPAID&sort=-due")
    page.goto(page.locator("table.rows tbody td.first a").first.get_attribute("href") or shop)
    page.locator("button[name=action][value=link]").click()
    page.wait_for_load_state("networkidle")
    _picture(page, shop, urlsplit(page.locator("#customer-link").get_attribute("href") or "").path, "", path)


def _sign_in_page(browser: Browser, context: BrowserContext, host: str, path: Path, width: int) -> None:
    """The sign-in page as a stranger sees it."""
    viewport = context.pages[0].viewport_size
    stranger = browser.new_context(viewport=viewport)
    page = stranger.new_page()
    page.goto(f"http://{host}/login")
    _save(page.screenshot(), path)
    stranger.close()


def _save(content: bytes, path: Path) -> None:
    """The picture in few colours, rare ones such as a badge's among them, cut where it only goes on."""
    with Image.open(io.BytesIO(content)) as whole:
        shown = whole.convert("RGB").crop((0, 0, whole.width, min(whole.height, TALLEST)))
    shown.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
