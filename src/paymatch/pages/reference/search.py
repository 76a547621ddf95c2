"""The search of the reference: endpoints, objects, fields, errors and pages of the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from paymatch.pages.reference.contents import ApiReference, ReferenceCall
from paymatch.pages.reference.guides import Guide

MOST_HITS: Final = 30
MOST_WORDS: Final = 8
_MOST_TEXT: Final = 160


@dataclass(frozen=True, slots=True)
class ReferenceHit:
    """A place that a search found."""

    address: str
    title: str
    words: str
    kind: str
    called: str = ""  # as it is called by programs

    @property
    def name(self) -> str:
        """What its name is looked for in."""
        return f"{self.title} {self.called}".casefold()

    @property
    def short(self) -> str:
        """As much of its words as a line has room for."""
        plain = self.words.replace("`", "")
        return plain if len(plain) <= _MOST_TEXT else f"{plain[:_MOST_TEXT].rpartition(' ')[0]} ..."


def places(found: ApiReference, guides: Mapping[str, Guide]) -> Iterator[ReferenceHit]:
    """All that can be found, the most general first."""
    calls = [(f"/docs/{group.slug}", call) for group in found.groups for call in group.calls]
    for page, call in calls:
        called = f"{call.method} {call.path}" if call.path else ""
        yield ReferenceHit(f"{page}#{call.name}", call.title, call.words, "Endpoint", called)
    for each in found.objects:
        yield ReferenceHit(f"/docs/objects/{each.slug}", each.title, each.words, "Object")
    for name, guide in guides.items():
        yield ReferenceHit(f"/docs/guides/{name}", guide.title, guide.words, "Documentation")
    for each in found.objects:
        for field in each.fields:
            address = f"/docs/objects/{each.slug}#{field.anchor}"
            yield ReferenceHit(address, f"{each.title}.{field.name}", field.words, "Field")
    for page, call in calls:
        for field in chain.from_iterable(fields for _, fields in call.parameters):
            yield ReferenceHit(f"{page}#{field.anchor}", f"{field.name} of {call.title}", field.words, "Parameter")
    yield from _errors(found, calls)


def _errors(found: ApiReference, calls: Sequence[tuple[str, ReferenceCall]]) -> Iterator[ReferenceHit]:
    """Each error once, at the first call that may answer it."""
    at = dict.fromkeys(found.errors, "/docs#errors")
    for page, call in calls:
        for error in call.errors:
            at.setdefault(error, f"{page}#{call.name}-errors")
    for error, address in at.items():
        yield ReferenceHit(address, error.text, f"{error.status}: {error.words}", "Error")


def hits(among: tuple[ReferenceHit, ...], asked: str) -> list[ReferenceHit]:
    """The places that have every word of the question, those that have it in their titles first."""
    words = asked.casefold().split()[:MOST_WORDS]
    if not words:
        return []
    found = [hit for hit in among if all(word in f"{hit.name} {hit.words}".casefold() for word in words)]
    return sorted(found, key=lambda hit: not all(word in hit.name for word in words))[:MOST_HITS]
