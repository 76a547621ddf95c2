"""The documentation as a site: every page is in it, every link in it leads somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch import __version__

ROOT = Path(__file__).resolve().parents[2]
AXE: Final = ROOT / "tests" / "area" / "axe" / "axe.min.js"
CHECK: Final = """async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const rules = {"td-has-header": {enabled: true}, "label-content-name-mismatch": {enabled: true}};
    const found = await axe.run({runOnly: tags, rules, resultTypes: ["violations"]});
    return found.violations.map((each) => `${each.id}: ${each.nodes.map((one) => one.html.slice(0, 160)).join(" ")}`);
}"""
SECTIONS = ("You have a shop", "Developer", "Clerk", "Bookkeeper", "Operator", "Contributor")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    for name in ("zensical.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    yield folder / "build" / "site"


def named(nav: list[dict[str, Any]]) -> Iterator[str]:
    """The pages that a navigation names."""
    for each in nav:
        for target in each.values():
            yield from [target] if isinstance(target, str) else named(target)


def test_every_page_is_in_the_navigation_of_its_reader() -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    assert [next(iter(each)) for each in nav] == ["Start", *SECTIONS]
    pages = list(named(nav))
    assert sorted(pages) == sorted([*(path.name for path in (ROOT / "docs").glob("*.md")), "decisions/README.md"])


def test_the_site_shows_the_version_of_the_package(site: Path) -> None:
    for page in (site / "index.html", site / "how-to-restore.html"):
        assert f"paymatch {__version__}" in page.read_text("utf-8").partition("<footer")[2]


def test_links_and_anchors_lead_somewhere(site: Path) -> None:
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    missing = []
    for path, text in pages.items():
        body = text.partition("<article")[2].partition("</article>")[0]
        for target, anchor in re.findall(r'href="([^":#]*)(?:#([^"]*))?"', body):
            there = (path.parent / target).resolve() if target else path
            if not there.is_file() or (anchor and there in anchors and anchor not in anchors[there]):
                missing.append(f"{path.name}: {target}#{anchor}")
    assert missing == []


def test_commands_are_shown_as_code(site: Path) -> None:
    commands = set(
        re.findall(r"^#+ `?paymatch ([a-z-]+)", (ROOT / "docs" / "command-line.md").read_text("utf-8"), re.M)
    )
    assert {"shop", "serve", "callbacks"} <= commands
    paragraph = re.compile(rf"<p>paymatch (?:{'|'.join(commands)})\b")
    assert [path.name for path in site.rglob("*.html") if paragraph.search(path.read_text("utf-8"))] == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loading = re.compile(r'<(?:script|img|iframe)[^>]+src="?(?:https?:)?//|<link[^>]+href="?(?:https?:)?//')
    assert [path.name for path in site.rglob("*.html") if loading.search(path.read_text("utf-8"))] == []


def test_search_knows_every_page(site: Path) -> None:
    known = {entry["location"].partition("#")[0] for entry in json.loads((site / "search.json").read_text())["items"]}
    pages = {str(path.relative_to(site)) for path in site.rglob("*.html")} - {"404.html"}
    assert pages - known == set()


def test_newcomers_page_holds_the_commands_of_the_readme(site: Path) -> None:
    text = (site / "first-paid-order.html").read_text("utf-8")
    shown = re.sub(r"<[^>]+>", "", text)
    assert all(command in shown for command in ("make run", "shop create", "payment A-1001 --deliver"))


TASKS = ("first-paid-order", "how-to-import-a-statement", "how-to-refund", "how-to-close-a-month", "how-to-restore")


@pytest.mark.parametrize("task", TASKS)
def test_what_readers_want_is_found_within_three_clicks_of_the_readme(task: str) -> None:
    places, clicks = {ROOT / "README.md"}, 0
    while ROOT / "docs" / f"{task}.md" not in places:
        clicks += 1
        assert clicks <= 3
        texts = [(path, path.read_text("utf-8")) for path in places]
        places = {
            (path.parent / link).resolve()
            for path, text in texts
            for link in re.findall(r"\]\(([\w./-]+\.md)[)#]", text)
        }
        places = {path for path in places if path.is_file()}


@pytest.mark.browser
def test_pages_of_each_kind_are_accessible_in_both_themes(site: Path, browser: Callable[[], Any]) -> None:
    page, problems = browser().new_context(reduced_motion="reduce").new_page(), []
    for name in ("index", "callbacks", "api", "banks"):  # pictures, code, wide tables, steps
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.goto((site / f"{name}.html").as_uri())
            page.evaluate(AXE.read_text("utf-8"))
            problems += [f"{name} {scheme} {each}" for each in page.evaluate(CHECK)]
    assert not problems, "\n".join(problems)
