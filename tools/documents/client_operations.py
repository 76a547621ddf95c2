"""The client's operations: a method per endpoint, in a class per section, once blocking and once for asyncio."""

from __future__ import annotations

import re
import types as python_types
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final, get_args, get_origin, get_type_hints

import paymatch.api.app  # noqa: F401  registers the endpoints
from paymatch.api.call import JSON
from paymatch.api.openapi.document import document, in_reading_order
from paymatch.api.router import EndpointRoute
from paymatch.api.sections import SECTIONS, Section
from tools.documents.client_models import WRITTEN, docstring, imports
from tools.documents.client_types import Types, class_name, python_name

_UNTYPED: Final = frozenset({"bytes", "File", "None"})


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a method. `default` is its text, empty if it must be given; `sent` says how it is sent."""

    name: str
    type: str
    words: str
    default: str = ""
    sent: str = ""
    wire: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A method. `media_types`: what is answered if not JSON; `asked`: which of them, `Accept` says."""

    name: str
    route: EndpointRoute
    path: tuple[Argument, ...]
    body: tuple[Argument, ...]
    query: tuple[Argument, ...]
    answer: str
    media_types: tuple[str, ...]
    asked: bool

    @property
    def cursor(self) -> Argument | None:
        """The parameter after which the next page of a list follows."""
        named = {each.name: each for each in self.query}
        return named.get("after", named.get("before")) if "limit" in named else None


def module_name(section: Section) -> str:
    """The section as the client's attribute and module: its first word."""
    return section.name.split()[0].lower()


def operations(types: Types) -> dict[str, list[Operation]]:
    """All operations by their section; all that they need becomes a type on the way."""
    found: dict[str, list[Operation]] = {module_name(section): [] for section in SECTIONS}
    told = document()["paths"]
    for route in in_reading_order():
        types.section = module_name(route.section)
        found[types.section].append(_operation(types, route, told[f"/{route.template}"][route.method.lower()]))
    return found


def module(types: Types, section: Section, found: list[Operation], *, waits: bool) -> str:
    """The module of a section; `waits`: the one for asyncio."""
    methods = "\n\n".join(text for each in found for text in _methods(types, each, waits=waits))
    used = [kind for kind in ("date", "datetime") if re.search(rf": {kind}\b(?! =)[ ,|)]", methods)]
    prefix, iterator = ("Async", "AsyncIterator") if waits else ("", "Iterator")
    lines = [
        f'"""{section.name}, {"for asyncio" if waits else "blocking"}. {WRITTEN}"""',
        "from __future__ import annotations",
    ]
    abstract = [name for name in (iterator, "Sequence") if f"{name}[" in methods]
    lines += [f"from collections.abc import {', '.join(abstract)}"] if abstract else []
    lines += [f"from datetime import {', '.join(used)}"] if used else []
    lines += ["from typing import Literal"] if "Literal[" in methods else []
    said = [each.answer for each in found] + [
        one.type for each in found for one in (*each.path, *each.body, *each.query)
    ]
    lines += imports(types, said)
    lines.append(f"from paymatch_client.connections import {prefix}Section")
    requests = [
        name for name in ("File", "Request", "Upload", "quoted") if f"{name}(" in methods or f"> {name}:" in methods
    ]
    lines.append(f"from paymatch_client.requests import {', '.join(requests)}")
    head = f"class {prefix}{class_name(module_name(section))}({prefix}Section):\n{docstring(section.words, 4)}\n"
    return "\n".join([*lines, "", "", head, methods]) + "\n"


def _operation(types: Types, route: EndpointRoute, told: dict[str, Any]) -> Operation:
    name = route.handler.__name__
    media_types = tuple(each for each in route.answer if each != JSON)
    asked = bool(media_types) and next(iter(route.answer)) == JSON
    if not route.answer:
        answer = "None"
    elif media_types:
        answer = "bytes" if asked else "File"
    else:
        answer = types.named(route.answer[JSON]["schema"], class_name(name))
    path = tuple(_path_argument(types, each) for each in told["parameters"] if each["in"] == "path")
    query = _query_arguments(types, route)
    return Operation(name, route, path, _body_arguments(types, route), query, answer, media_types, asked)


def _path_argument(types: Types, told: dict[str, Any]) -> Argument:
    schema = told["schema"]
    words = told["description"].replace(", percent-encoded", "")
    if "enum" in schema:
        title = f"{class_name(told['name'])}Name"
        kind = types.named(schema | {"title": title, "description": f"Names for `{told['name']}`."}, title)
        return Argument(python_name(told["name"]), kind, "")
    return Argument(python_name(told["name"]), "str", words)


def _body_arguments(types: Types, route: EndpointRoute) -> tuple[Argument, ...]:
    if route.body is None:
        return ()
    if JSON not in route.body.content:
        return (
            Argument("file", "bytes", "The content of the file."),
            Argument("file_name", "str", "Its name.", '"file"'),
        )
    schema = route.body.content[JSON]["schema"]
    kind = types.named(schema, class_name(route.handler.__name__))
    return (Argument("body", kind.replace("list[", "Sequence[", 1), schema.get("description", "")),)


def _query_arguments(types: Types, route: EndpointRoute) -> tuple[Argument, ...]:
    hints, found = get_type_hints(route.query.declared), []
    for wire, attribute in route.query.names.items():
        schema = route.query.parameters[wire].schema
        hint, name = hints[attribute], python_name(wire)
        kind, default, sent = _query_type(types, hint, name, schema)
        if wire in route.query.required:
            kind, default = kind.removesuffix(" | None"), ""
        found.append(Argument(name, kind, schema["description"], default, sent, wire))
    return tuple(found)


def _query_type(types: Types, hint: Any, name: str, schema: dict[str, Any]) -> tuple[str, str, str]:
    """Type, default, and what is sent; None is not sent."""
    if hint is bool:
        is_set = bool(schema["default"])
        return "bool", str(is_set), f"None if {name} else False" if is_set else f"{name} or None"
    if get_origin(hint) is tuple:
        return f"Sequence[{types.enumeration(get_args(hint)[0])}]", "()", name
    plain = next(each for each in (*get_args(hint), hint) if each is not python_types.NoneType)
    if "enum" in schema and not issubclass(plain, StrEnum):
        return f"{types.named(schema, class_name(name))} | None", "None", name
    if issubclass(plain, StrEnum):
        return f"{types.enumeration(plain)} | None", "None", name
    assert plain in {str, int, date, datetime}, f"{name}: a parameter of a new kind"
    return f"{plain.__name__} | None", "None", name


def _methods(types: Types, each: Operation, *, waits: bool) -> Iterator[str]:
    yield _method(each, waits=waits)
    if each.cursor is not None:
        yield _iteration(types, each, each.cursor, waits=waits)


def _method(each: Operation, *, waits: bool) -> str:
    optional = list(each.query)
    if each.asked:
        kinds = ", ".join(f'"{kind}"' for kind in each.media_types)
        optional.append(Argument("media_type", f"Literal[{kinds}]", "What the image is.", f'"{each.media_types[0]}"'))
    head = _signature(each.name, (*each.path, *each.body), optional, each.answer, waits=waits)
    words = [f"{each.route.summary}.", *([each.route.words] if each.route.words else [])]
    words += ["" if each.route.may_be_repeated else "Not retried automatically after a failure."]
    text = docstring(_paragraphs(words, (*each.path, *each.body, *optional)), 8)
    calling, await_ = "self._connection", "await " if waits else ""
    request = _request(each)
    if each.answer == "None":
        return f"{head}\n{text}\n        {await_}{calling}.tell({request})"
    if each.answer in _UNTYPED:
        value = f"{await_}{calling}.fetch({request})"
        value = f"({value}).content" if each.asked and waits else value + (".content" if each.asked else "")
        return f"{head}\n{text}\n        return {value}"
    value = f"{await_}{calling}.ask({request}, {each.answer})"
    if " | " in each.answer or each.answer == "Report":
        return f"{head}\n{text}\n        answer: {each.answer} = {value}\n        return answer"
    return f"{head}\n{text}\n        return {value}"


def _iteration(types: Types, each: Operation, cursor: Argument, *, waits: bool) -> str:
    """The items of a paged list, or the pages of an answer that names the next one."""
    pages = not each.answer.startswith("list[")
    item = each.answer if pages else each.answer[5:-1]
    query = [one for one in each.query if one.name not in {"limit", cursor.name}]
    size = Argument("page_size", "int", "How many are asked for at a time.", "1000" if pages else "100")
    result = f"{'AsyncIterator' if waits else 'Iterator'}[{item}]"
    name = each.name.partition("_")[2]
    name = f"iterate_{name}_pages" if pages else f"iterate_{name}"
    start = [one for one in each.query if one is cursor]
    head = _signature(name, each.path, [*query, *start, size], result, waits=waits)
    what = "The pages of" if pages else "All items of"
    text = docstring(_paragraphs([f"{what} `{each.name}`, asked for one page after the other."], (*start, size)), 8)
    given = (
        [one.name for one in each.path] + [f"{one.name}={one.name}" for one in (*query, cursor)] + ["limit=page_size"]
    )
    ask = f"page = {'await ' if waits else ''}self.{each.name}({', '.join(given)})"
    if pages:
        turn = [
            ask,
            "yield page",
            'following: str | None = getattr(page, "next", None)',
            "if following is None:",
            "    return",
            f"{cursor.name} = following",
        ]
    else:
        struct = types.structs[item]
        key = "id" if any(one.name == "id" for one in getattr(struct, "fields", ())) else "number"
        give = ["for item in page:", "    yield item"] if waits else ["yield from page"]
        turn = [ask, *give, "if len(page) < page_size:", "    return", f"{cursor.name} = page[-1].{key}"]
    return "\n".join([head, text, "        while True:", *(f"            {line}" for line in turn)])


def _signature(name: str, given: tuple[Argument, ...], optional: list[Argument], answer: str, *, waits: bool) -> str:
    places = [f"{one.name}: {one.type}" + (f" = {one.default}" if one.default else "") for one in given]
    named = [f"{one.name}: {one.type}" + (f" = {one.default}" if one.default else "") for one in optional]
    arguments = ", ".join(["self", *places, *(["*"] if named else []), *named])
    return f"    {'async ' if waits else ''}def {name}({arguments}) -> {answer}:"


def _paragraphs(words: list[str], arguments: tuple[Argument, ...]) -> str:
    told = [f"`{one.name}`: {one.words}" for one in arguments if one.words]
    return "\n\n".join(filter(None, [*words, "\n".join(told)]))


def _request(each: Operation) -> str:
    """The request of a call, as the expression that makes it."""
    template = each.route.template
    for wire, one in zip(each.route.pattern.names, each.path, strict=True):
        template = template.replace(f"{{{wire}}}", f"{{quoted({one.name})}}")
    parts = [f'"{each.route.method}"', f'{"f" if each.path else ""}"{template}"']
    if each.query:
        parts.append("query={" + ", ".join(f'"{one.wire}": {one.sent}' for one in each.query) + "}")
    names = {one.name for one in each.body}
    parts += ["body=body"] if "body" in names else ["upload=Upload(file, file_name)"] if names else []
    if each.media_types:
        parts.append("accept=media_type" if each.asked else 'accept="*/*"')
    parts += ["repeatable=True"] if each.route.may_be_repeated else []
    return f"Request({', '.join(parts)})"
