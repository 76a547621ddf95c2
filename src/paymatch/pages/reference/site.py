"""The addresses of the reference: `/docs`, a page for each group and object, the same as Markdown, and `/llms.txt`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, Final
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, StrictUndefined

from paymatch.pages.reference import markdown, search
from paymatch.pages.reference.contents import ApiReference, ReferenceGroup, ReferenceObject, reference_of
from paymatch.pages.reference.guides import guides
from paymatch.pages.reference.markup import command, pretty, prose
from paymatch.pages.static_files import StaticFile, sent_as

SEARCH: Final = "/docs/search"
MOST_ASKED: Final = 200
"""Characters of a question; what follows is left out."""


class ReferenceSite:
    """The pages, each made when it is first asked for."""

    def __init__(self, describe: Callable[[], Mapping[str, Any]]) -> None:
        self._describe = describe
        self._made: dict[str, StaticFile] = {}

    def page(self, path: str, query: str) -> StaticFile | None:
        """What the address answers; None if it leads nowhere."""
        if path == SEARCH:
            return sent_as("html", self._search(query))
        if path not in self._made:
            write = self._writers.get(path)
            if write is None:
                return None
            self._made[path] = sent_as("html" if "." not in path else path.rpartition(".")[2], write())
        return self._made[path]

    @property
    def addresses(self) -> list[str]:
        """All addresses but the search."""
        return list(self._writers)

    @cached_property
    def _reference(self) -> ApiReference:
        return reference_of(self._describe())

    @cached_property
    def _places(self) -> tuple[search.ReferenceHit, ...]:
        return tuple(search.places(self._reference, guides()))

    @cached_property
    def _writers(self) -> dict[str, Callable[[], str]]:
        found = self._reference
        writers: dict[str, Callable[[], str]] = {
            "/docs": lambda: self._html("overview", "Overview", "/docs", guides=guides()),
            "/docs.md": lambda: markdown.overview(found),
            "/docs/objects": lambda: self._html("objects", "Objects", "/docs/objects"),
            "/docs/objects.md": lambda: markdown.objects_page(found),
            "/llms.txt": lambda: markdown.llms(found, guides()),
        }
        for group in found.groups:
            writers |= self._of_group(group)
        for each in found.objects:
            writers |= self._of_object(each)
        return writers | {f"/docs/guides/{name}": partial(str, guide.text) for name, guide in guides().items()}

    def _of_group(self, group: ReferenceGroup) -> dict[str, Callable[[], str]]:
        address = f"/docs/{group.slug}"
        return {
            address: lambda: self._html("group", group.title, address, group=group),
            f"{address}.md": lambda: markdown.group_page(self._reference, group),
        }

    def _of_object(self, shown: ReferenceObject) -> dict[str, Callable[[], str]]:
        address = f"/docs/objects/{shown.slug}"
        return {
            address: lambda: self._html("object", shown.title, address, shown=shown),
            f"{address}.md": lambda: markdown.object_page(shown),
        }

    def _search(self, query: str) -> str:
        asked = parse_qs(query, max_num_fields=4).get("q", [""])[0][:MOST_ASKED].strip()
        return self._html("search", "Search", SEARCH, asked=asked, hits=search.hits(self._places, asked))

    def _html(self, template: str, title: str, address: str, **more: Any) -> str:
        given = {"reference": self._reference, "title": title, "address": address, "asked": "", "group": None}
        return _TEMPLATES.get_template(f"{template}.html").render(given | more)


_TEMPLATES: Final = Environment(
    loader=PackageLoader("paymatch.pages.reference"), autoescape=True, undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
_TEMPLATES.filters |= {"prose": prose, "command": command, "pretty": pretty}
