"""The API reference: every endpoint, object and error is on a page, every link leads somewhere, and it is found."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import paymatch.api.app  # noqa: F401  registers the endpoints
from paymatch.api.openapi.document import document
from paymatch.pages.reference.site import SEARCH, ReferenceSite

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site() -> ReferenceSite:
    return ReferenceSite(document)


def text_of(site: ReferenceSite, address: str, query: str = "") -> str:
    found = site.page(address, query)
    assert found is not None, address
    return found.content.decode()


def found_by(site: ReferenceSite, query: str) -> list[str]:
    return re.findall(r'<li><a href="([^"]+)">[^<]*</a> <span class="tag">', text_of(site, SEARCH, query))


def calls() -> Iterator[tuple[str, str, str, str]]:
    """(name, method, path, slug of its group) of every endpoint."""
    for path, methods in document()["paths"].items():
        for method, each in methods.items():
            slug = each["tags"][0].lower().replace(" ", "-")
            yield each["operationId"], method.upper(), path, slug


def test_every_endpoint_is_on_the_page_of_its_group_and_in_its_markdown(site: ReferenceSite) -> None:
    assert len([*calls()]) == 45
    for name, method, path, slug in calls():
        page = text_of(site, f"/docs/{slug}")
        assert page.count(f'<section class="endpoint" id="{name}">') == 1, name
        assert f"`{method} {path}`" in text_of(site, f"/docs/{slug}.md")
        assert f'href="/docs/{slug}#{name}"' in text_of(site, "/docs")


def test_every_refusal_is_on_the_page_of_its_endpoint_or_among_those_of_all(site: ReferenceSite) -> None:
    shared = text_of(site, "/docs.md")
    for path, methods in document()["paths"].items():
        for each in methods.values():
            page = text_of(site, f"/docs/{each['tags'][0].lower().replace(' ', '-')}.md")
            part = page.partition(f"## {each['summary']}\n")[2].partition("\n## ")[0]
            for status, answer in each["responses"].items():
                for one in answer.get("content", {}).get("application/json", {}).get("examples", {}).values():
                    row = f"| {status} | `{one['value']['error']}` |"
                    assert (row in part) != (row in shared), f"{path}: {row}"


def test_every_field_of_every_object_is_named(site: ReferenceSite) -> None:
    objects = document()["components"]["schemas"]
    page = text_of(site, "/docs/objects.md")
    for name, schema in objects.items():
        part = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert part, name
        for field in schema.get("properties", {}):
            assert f"| `{field}` |" in part, f"{name}.{field}"


def test_links_and_anchors_lead_somewhere_and_ids_are_unique(site: ReferenceSite) -> None:
    pages = {address: text_of(site, address) for address in site.addresses if "." not in address}
    ids = {address: re.findall(r'\bid="([^"]+)"', page) for address, page in pages.items()}
    for address, found in ids.items():
        assert len(found) == len(set(found)), address
    for address, page in pages.items():
        for target in re.findall(r'href="([^"]+)"', page):
            path, _, anchor = target.partition("#")
            if path.startswith(("/static/", "/api/")):
                continue
            there = path or address
            assert there in site.addresses, f"{address}: {target}"
            assert not anchor or anchor in ids[there], f"{address}: {target}"


def test_links_of_the_markdown_lead_somewhere(site: ReferenceSite) -> None:
    for address in (each for each in site.addresses if each.endswith((".md", ".txt")) and "/guides/" not in each):
        for target in re.findall(r"\]\((/docs[^)]*)\)", text_of(site, address)):
            assert target in site.addresses, f"{address}: {target}"


def test_every_page_of_the_documentation_is_served_as_markdown_and_listed(site: ReferenceSite) -> None:
    listed = text_of(site, "/llms.txt")
    paths = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert len(paths) > 100
    for path in paths:
        assert text_of(site, f"/docs/guides/{path}") == (ROOT / "docs" / path).read_text("utf-8")
        assert f"](/docs/guides/{path})" in listed
    kind = site.page("/docs/guides/api.md", "")
    assert kind is not None
    assert kind.media_type == "text/markdown; charset=utf-8"


def test_every_endpoint_has_a_command_that_a_shell_reads(site: ReferenceSite) -> None:
    commands = [
        command
        for slug in sorted({slug for *_, slug in calls()})
        for command in re.findall(r"```sh\n(.*?)\n```", text_of(site, f"/docs/{slug}.md"), re.DOTALL)
    ]
    assert len(commands) == 45
    for command in commands:
        words = shlex.split(command.replace("\\\n", " "))
        assert words[0] == "curl"
        assert words[1].startswith("$BASE/")
        assert words[2:4] == ["-H", "X-Service-API-Key: $KEY"]
        assert "{" not in words[1]
        for body in (after for option, after in pairwise(words) if option == "-d"):
            assert isinstance(json.loads(body), dict | list)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("q=create+a+refund", "/docs/refunds#createRefund"),
        ("q=POST+%2Fordersync", "/docs/orders#syncOrders"),
        ("q=order.duedate", "/docs/objects/order#order-dueDate"),
        ("q=no+place+has+these+words", ""),
        ("q=could+not+acquire+lock", "/docs/orders#submitOrder-errors"),
        ("q=clerk's+rules", "/docs/guides/clerks-rules.md"),
        ("q=", ""),
        ("", ""),
    ],
)
def test_search(site: ReferenceSite, query: str, first: str) -> None:
    assert (found_by(site, query) or [""])[0] == first


def test_what_is_searched_for_is_shown_as_text(site: ReferenceSite) -> None:
    page = text_of(site, SEARCH, "q=%3Cscript%3Ealert(1)%3C%2Fscript%3E%22")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert text_of(site, SEARCH, f"q={'x' * 5000}").count("x" * 201) == 0


@pytest.mark.parametrize("path", ["/docs/", "/docs/none", "/docs/guides/../security.md", "/docs/guides/none.md"])
def test_other_addresses_lead_nowhere(site: ReferenceSite, path: str) -> None:
    assert site.page(path, "") is None
