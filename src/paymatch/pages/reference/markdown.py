"""The reference as Markdown, and `llms.txt`, the list of all pages for programs that read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from paymatch.pages.reference.contents import (
    ApiReference,
    ReferenceCall,
    ReferenceError,
    ReferenceField,
    ReferenceGroup,
    ReferenceObject,
)
from paymatch.pages.reference.guides import Guide
from paymatch.pages.reference.markup import pretty

_PLACES: Final = "`$BASE` is the address of the service followed by `{base}`; `$KEY` is an API key of the shop."


def overview(found: ApiReference) -> str:
    """The first page."""
    calls = [
        f"- `{call.method} {call.path}` [{call.title}](/docs/{group.slug}.md)"
        for group in found.groups
        for call in group.calls
        if call.path
    ]
    return _page(
        f"# {found.title}",
        found.words,
        f"Every call carries the header `{found.key_header}`. {found.key_words}",
        _PLACES.format(base=found.base),
        "## Endpoints",
        "\n".join(calls),
        "## Errors of every endpoint",
        _errors(found.errors),
    )


def group_page(found: ApiReference, group: ReferenceGroup) -> str:
    """A group of calls."""
    parts = (part for call in group.calls for part in _call(call))
    return _page(f"# {group.title}", group.words, _PLACES.format(base=found.base), *parts)


def object_page(found: ReferenceObject) -> str:
    """An object."""
    return _page(f"# {found.title}", *_object_parts(found))


def objects_page(found: ApiReference) -> str:
    """All objects."""
    parts = (part for each in found.objects for part in (f"## {each.title}", *_object_parts(each)))
    return _page("# Objects", *parts)


def llms(found: ApiReference, guides: Mapping[str, Guide]) -> str:
    """The list of pages, as https://llmstxt.org describes it."""
    lines = [f"- [{each.title}](/docs/{each.slug}.md): {each.words}" for each in found.groups]
    main = [f"- [{each.title}](/docs/guides/{name}): {each.words}" for name, each in guides.items() if "/" not in name]
    more = [f"- [{each.title}](/docs/guides/{name})" for name, each in guides.items() if "/" in name]
    return _page(
        "# paymatch",
        "> Shops submit their orders, incoming bank payments are matched to them, and every change of a payment status"
        " is reported back.",
        "## API reference",
        "\n".join(
            [
                "- [Overview](/docs.md): base address, key, all endpoints, and the errors that they share",
                *lines,
                "- [Objects](/docs/objects.md): all objects of bodies and answers",
                "- [OpenAPI 3.1](/api/v2/openapi.json): the same for generated clients",
            ]
        ),
        *(("## Documentation", "\n".join(main)) if main else ()),
        *(("## Optional", "\n".join(more)) if more else ()),
    )


def _call(call: ReferenceCall) -> Iterator[str]:
    yield f"## {call.title}"
    if call.path:
        yield f"`{call.method} {call.path}`"
    yield " ".join((call.words, *call.marks))
    for heading, fields in call.parameters:
        yield f"### {heading}"
        yield _fields(fields)
    if call.body:
        yield f"### Body: {_link_kind(call.body)}"
        if call.body_fields:
            yield _fields(call.body_fields)
    if call.curl:
        yield _fence("sh", call.curl)
    if call.example is not None:
        yield _fence("json", pretty(call.example))
    for answer in call.answers:
        yield f"### Answer {answer.status}: {_link_kind(answer.kinds) or answer.words}"
        if answer.example is not None:
            yield _fence("json", pretty(answer.example))
    if call.errors:
        yield "### Errors"
        yield _errors(call.errors)


def _object_parts(found: ReferenceObject) -> Iterator[str]:
    if found.words:
        yield found.words
    if found.fields:
        yield _fields(found.fields)
    if found.one_of:
        yield "\n".join(f"- {_link_kind(each)}" for each in found.one_of)


def _fields(fields: Iterable[ReferenceField]) -> str:
    rows = [
        f"| `{each.name}` | {_link_kind(each.kind)} | {'yes' if each.required else ''} | {_cell(each.words)} |"
        for each in fields
    ]
    return "\n".join(["| name | type | required | |", "|---|---|---|---|", *rows])


def _errors(errors: Iterable[ReferenceError]) -> str:
    rows = [f"| {each.status} | `{each.text}` | {_cell(each.words)} |" for each in errors]
    return "\n".join(["| status | `error` | when |", "|---|---|---|", *rows])


def _link_kind(kind: str) -> str:
    """A type whose link leads to the Markdown of its object."""
    return kind.replace(")", ".md)")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _page(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"
