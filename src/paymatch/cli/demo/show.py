"""Output of the demo: imports, matches with reasons, decisions to make, callbacks."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from paymatch.cli.demo.life import Life

_MATCHED_ROWS: Final = 16
_WORDS: Final = 110
_DAY_ONE: Final = "01-01-2000"


def show_results(life: Life) -> None:
    """The tables of the three months; of single postings those of the last 30 days."""
    everything = life.ask(f"postings?includeOrders=false&createdMin={_DAY_ONE}")
    _months(life, everything)
    postings = life.ask("postings?includeOrders=false")
    _show_matches(life.console, [posting for posting in postings if posting["status"] == "matched"])
    _show_waiting(life.console, [posting for posting in postings if posting["status"] == "suggested"])
    _show_unmatched(life.console, [posting for posting in postings if posting["status"] == "unmatched"])
    _orders(life)
    _refunds(life)
    _callbacks(life)


def show_where_next(life: Life, folder: Path, sign_in_link: str, *, serving: bool) -> None:
    """URLs and commands for going on; `sign_in_link` leads into the merchant area."""
    root = life.client.base.removesuffix("/api/v2")
    console, shop = life.console, life.shop.id
    data = f"PAYMATCH_DATA_DIR={shlex.quote(str(folder))} {own_command(sys.argv[0], sys.executable)}"
    console.rule("Where to look next")
    console.print("Merchant area, signed in as the shop's owner (the link works once, within the hour):")
    console.print(sign_in_link, highlight=False, soft_wrap=True)
    console.print(f"API key        {life.client.api_key}", highlight=False, soft_wrap=True)
    if serving:
        console.print(f"API reference  {root}/docs", highlight=False)
        console.print(f"Health         {root}/readyz, {root}/metrics", highlight=False)
    for words, arguments in (
        ("All postings, with evidence", f"postings {shop} --json"),
        ("What waits for a person", f"postings {shop} --status suggested --status unmatched"),
        ("Match one by hand", f"match {shop} POSTING_ID ORDER_NUMBER"),
        ("Are the books right", "check"),
        ("Serve this shop again", f"serve --port {life.client.port}"),
    ):
        console.print(f"[dim]# {words}[/]", highlight=False)
        console.print(f"{data} {arguments}", highlight=False, soft_wrap=True)
    if serving:
        console.print("\nServing until Ctrl-C.")


def own_command(called: str, python: str) -> str:
    """How this installation is called from any folder: the program as it was called, else the module."""
    beside, name = Path(python).parent / "paymatch", Path(called).name
    if name == "paymatch" and shutil.which("paymatch") is not None:
        return "paymatch"
    if beside.is_file():
        return shlex.quote(str(beside))
    return f"{shlex.quote(python)} -m paymatch"


def _months(life: Life, postings: list[dict[str, Any]]) -> None:
    """A row per month and account currency: what came in, and how much of it was matched."""
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for posting in postings:
        month = counted[posting["postingDate"][6:] + posting["postingDate"][2:5], posting["currency"]]
        month["postings"] += 1
        month["cents"] += round(posting["amount"] * 100) if posting["amount"] > 0 else 0
        month[posting["status"]] += 1
    table = Table(title="Postings by month", title_justify="left")
    for name in ("month", "postings", "came in", "matched", "to decide", "ignored"):
        table.add_column(name, justify="left" if name == "month" else "right")
    for (month_name, currency), month in sorted(counted.items()):
        came_in = f"{month['cents'] / 100:.2f} {currency}"
        to_decide = month["suggested"] + month["unmatched"]
        cells = (month["postings"], came_in, month["matched"], to_decide, month["ignored"])
        table.add_row(month_name, *map(str, cells))
    life.console.print(table)


def _show_matches(console: Console, postings: list[dict[str, Any]]) -> None:
    """One row per kind of evidence first, so that the rare cases are seen."""
    table = Table(title=f"Matched: {len(postings)} postings, some of them", title_justify="left")
    for name in ("amount", "originator", "text", "orders", "probability", "why"):
        table.add_column(name, justify="right" if name in ("amount", "probability") else "left")
    for posting in _various(postings)[:_MATCHED_ROWS]:
        decision = posting.get("decision", {})
        table.add_row(
            f"{posting['amount']:.2f}",
            escape(posting.get("originator", "")[:24]),
            escape(_short(posting.get("text", ""), 40)),
            ", ".join(each["orderNumber"] for each in posting["allocations"]),
            f"{decision['probability']:.3f}" if "probability" in decision else "",
            escape(_why(decision.get("evidence", []))) or "matched by hand",
        )
    console.print(table)


def _various(postings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The postings so that each kind of decision comes once before any comes twice."""
    seen: Counter[tuple[str, ...]] = Counter()
    ranked = []
    for place, posting in enumerate(postings):
        decision = posting.get("decision", {})
        codes = {each["code"] for each in decision.get("evidence", []) if abs(each["weight"]) >= 1}
        kind = tuple(sorted({*codes, *decision.get("flags", []), f"{len(posting['allocations'])} orders"}))
        ranked.append((seen[kind], place, posting))
        seen[kind] += 1
    return [posting for _, _, posting in sorted(ranked, key=lambda each: each[:2])]


def _why(evidence: list[dict[str, Any]]) -> str:
    strongest = sorted(evidence, key=lambda each: -abs(each["weight"]))[:3]
    return _short("; ".join(each["words"] for each in strongest), _WORDS)


def _show_waiting(console: Console, postings: list[dict[str, Any]]) -> None:
    table = Table(title=f"Waiting for a decision: {len(postings)} postings with suggestions", title_justify="left")
    for name in ("amount", "originator", "text", "best suggestion", "probability", "why", "why not by itself"):
        table.add_column(name, justify="right" if name in ("amount", "probability") else "left")
    for posting in postings:
        best = posting["decision"]["suggestions"][0]
        table.add_row(
            f"{posting['amount']:.2f}",
            escape(posting.get("originator", "")[:24]),
            escape(_short(posting.get("text", ""), 40)),
            ", ".join(each["orderNumber"] for each in best["allocations"]),
            f"{best['probability']:.3f}",
            escape(_why(best["evidence"])),
            escape(posting["decision"].get("heldBack", "")),
        )
    console.print(table)


def _show_unmatched(console: Console, postings: list[dict[str, Any]]) -> None:
    """Postings that seem to belong to no order."""
    table = Table(title=f"No order found: {len(postings)} postings", title_justify="left")
    for name in ("amount", "originator", "text"):
        table.add_column(name, justify="right" if name == "amount" else "left")
    for posting in postings:
        text = escape(_short(posting.get("text", ""), 60))
        table.add_row(f"{posting['amount']:.2f}", escape(posting.get("originator", "")[:30]), text)
    console.print(table)


def _orders(life: Life) -> None:
    counted = Counter(order["paymentStatus"] for order in life.ask("orders?maxAge=365"))
    words = ", ".join(f"{count} {status}" for status, count in counted.most_common())
    life.console.print(f"Orders: {words}", highlight=False)


def _refunds(life: Life) -> None:
    counted = Counter(refund["status"] for refund in life.ask("refunds?limit=1000"))
    words = ", ".join(f"{count} {status}" for status, count in counted.most_common())
    life.console.print(f"Refunds: {words}", highlight=False)


def _callbacks(life: Life) -> None:
    received = life.receiver.received
    counted = Counter(callback.body["paymentStatus"] for callback in received)
    words = ", ".join(f"{count} {status}" for status, count in counted.most_common())
    life.console.print(
        f"Callbacks that the shop's receiver got: {len(received)} ({words}). One of them:", highlight=False
    )
    if not received:
        return
    one = received[0]
    life.console.print(f"[bold]POST {one.path}[/]", highlight=False)
    for name in ("x-service-access-code", "webhook-id", "webhook-timestamp", "webhook-signature"):
        life.console.print(f"{name}: {one.headers.get(name, '')}", highlight=False, markup=False)
    life.console.print(one.text, highlight=False, markup=False, soft_wrap=True)


def _short(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
