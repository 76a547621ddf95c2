"""Start page, API reference, static files, health: what is served, and how browsers may use it."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from wsgiref.util import setup_testing_defaults

import pytest
from pydantic import SecretStr

from paymatch.api.openapi.document import document
from paymatch.clock import utc_now
from paymatch.pages import Pages
from paymatch.pages.static_files import MEDIA_TYPES
from paymatch.store.database import Database
from paymatch.web import LOCAL
from tests.keys import KEYRING

ROOT = Path(__file__).resolve().parents[2]
STATIC = sorted(item.name for item in resources.files("paymatch.pages").joinpath("static").iterdir())

TOKEN = "a token of the operator"

Reply = tuple[int, dict[str, str], bytes]


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=1, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def pages(database: Database) -> Pages:
    return Pages(database, utc_now, SecretStr(TOKEN), document)


def ask(pages: Pages, path: str, method: str = "GET", *, local: bool = True, **headers: str) -> Reply:
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, **{f"HTTP_{name}": text for name, text in headers.items()}}
    environ |= {LOCAL: "1" if local else ""}
    setup_testing_defaults(environ)
    started: list[tuple[str, list[tuple[str, str]]]] = []
    body = b"".join(pages(environ, lambda status, heads: started.append((status, heads))))
    status, heads = started[0]
    return int(status[:3]), dict(heads), body


@pytest.mark.parametrize(("path", "title"), [("/", "paymatch"), ("/docs", "Overview - API reference - paymatch")])
def test_page_is_served_with_a_strict_policy(pages: Pages, path: str, title: str) -> None:
    status, heads, body = ask(pages, path)
    assert (status, heads["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert f"<title>{title}</title>".encode() in body
    policy = dict(part.strip().split(" ", 1) for part in heads["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert heads["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_page_has_no_script_of_its_own_and_loads_nothing_from_elsewhere(pages: Pages, path: str) -> None:
    text = ask(pages, path)[2].decode()
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"\son\w+=|<style|style=|javascript:", text) == []
    loaded = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert loaded
    for target in loaded:
        if target.startswith(("/api/", "#")) or target == "/readyz":  # answered by others
            continue
        assert ask(pages, target.partition("#")[0])[0] == 200, target


@pytest.mark.parametrize("name", STATIC)
def test_every_static_file_is_served(pages: Pages, name: str) -> None:
    content = resources.files("paymatch.pages").joinpath("static", name).read_bytes()
    status, heads, body = ask(pages, f"/static/{name}")
    assert (status, body) == (200, content)
    assert heads["Content-Type"] == MEDIA_TYPES[name.rpartition(".")[2]]
    assert heads["Content-Length"] == str(len(content))
    tag = heads["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        assert ask(pages, f"/static/{name}", IF_NONE_MATCH=known)[::2] == (304, b"")
    assert ask(pages, f"/static/{name}", IF_NONE_MATCH='"other"')[0] == 200


def test_large_file_is_compressed_for_those_who_take_it(pages: Pages) -> None:
    plain = ask(pages, "/static/reference.css")[2]
    _, heads, packed = ask(pages, "/static/reference.css", ACCEPT_ENCODING="br, gzip")
    assert (heads["Content-Encoding"], heads["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2


@pytest.mark.parametrize(
    "path", ["/static/", "/static/none.js", "/static/../app.py", "/static/..%2fapp.py", "/static/.hidden.js",
             "/static/app.py", "/static/a\\b.js", "/favicon.ico", "/docs/", "/docs/none", "/docs/guides/../api.md"],
)  # fmt: skip
def test_missing_file_is_not_found(pages: Pages, path: str) -> None:
    assert ask(pages, path)[::2] == (404, b"Not found\n")


def test_browser_that_looks_for_a_missing_page_of_the_reference_gets_one_of_ours(pages: Pages) -> None:
    status, heads, body = ask(pages, "/docs/none", ACCEPT="text/html,*/*")
    assert (status, heads["Content-Type"], heads["Cache-Control"]) == (404, "text/html; charset=utf-8", "no-store")
    assert b"<h1>Page not found</h1>" in body
    assert b'href="/docs"' in body
    assert ask(pages, "/static/none.js", ACCEPT="text/html,*/*")[::2] == (404, b"Not found\n")


@pytest.mark.parametrize("path", ["/", "/docs", "/metrics", "/static/paymatch.css"])
def test_head_answers_the_headers_alone(pages: Pages, path: str) -> None:
    status, heads, body = ask(pages, path, "HEAD")
    assert (status, body) == (200, b"")
    if path != "/metrics":
        assert heads == ask(pages, path)[1]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_pages_are_read_only(pages: Pages, method: str) -> None:
    assert ask(pages, "/", method)[0] == 404


@pytest.mark.parametrize("path", ["/nothing", "/order/1", "//"])
def test_wholly_invalid_url_leads_to_the_start_page(pages: Pages, path: str) -> None:
    status, heads, body = ask(pages, path)
    assert (status, heads["Location"], body) == (302, "/", b"")


def test_metrics(pages: Pages) -> None:
    status, heads, body = ask(pages, "/metrics")
    assert status == 200
    assert heads["Content-Type"].startswith("text/plain")
    assert b"paymatch_callbacks_pending 0.0\n" in body


def test_metrics_are_for_this_machine_and_for_the_token(pages: Pages, database: Database) -> None:
    for header in ("", TOKEN, f"Basic {TOKEN}", "Bearer ", "Bearer another", f"Bearer {TOKEN}x"):
        status, heads, body = ask(pages, "/metrics", local=False, AUTHORIZATION=header)
        assert (status, heads["WWW-Authenticate"]) == (401, "Bearer")
        assert body.startswith(b"with the token only\nyour address: ")
    assert ask(pages, "/metrics", local=False, AUTHORIZATION=f"Bearer {TOKEN}")[0] == 200
    without = Pages(database, utc_now, None, document)
    assert ask(without, "/metrics", local=False, AUTHORIZATION="Bearer None")[0] == 401


def test_metrics_while_the_database_does_not_answer(module_url: str) -> None:
    opened = Database(f"{module_url}_missing", size=1, timeout=0.2, keyring=KEYRING)
    try:
        found = ask(Pages(opened, utc_now, None, document), "/metrics")
        assert found[0] == 200
        assert b'\npaymatch_requests_failed_total{reason="error"} 0.0\n' in found[2]
        assert b"paymatch_callbacks_pending" not in found[2]
    finally:
        opened.close()


def test_wheel_has_the_static_files_and_the_documentation(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if name.startswith("paymatch/pages/static/")}
        guides = {name for name in packed.namelist() if name.startswith("paymatch/pages/guides/")}
    assert names == {f"paymatch/pages/static/{name}" for name in STATIC}
    docs = ROOT / "docs"
    assert guides == {f"paymatch/pages/guides/{path.relative_to(docs).as_posix()}" for path in docs.rglob("*.md")}
