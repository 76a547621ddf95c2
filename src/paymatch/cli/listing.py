"""The one way in which commands list things: `--json`, `--csv`, `--columns` and `--where`, declared once for all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, Final

import typer

from paymatch.cli.context import command
from paymatch.cli.terminal import plain_text, print_csv, print_json_rows, print_table
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

Row = Mapping[str, Any]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
Columns = Annotated[str, typer.Option("--columns", metavar="NAME,...", help="Only these columns, in this order.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="NAME=VALUE", help="Only rows with this value; may be given several times."),
]
_OPTIONS: Final[Mapping[str, tuple[Any, Any]]] = {
    "where": (Where, None),
    "only": (Columns, ""),
    "as_csv": (AsCsv, False),
    "as_json": (AsJson, False),
}


def lists(*columns: str, title: str = "") -> Callable[[Callable[..., Iterable[Row]]], Callable[..., None]]:
    """Makes a function that returns or yields rows a command that prints them.

    `columns` are those of the table and of the CSV; JSON has all fields of a row. The function may have `as_json` as a
    parameter of its own, to leave out words meant for people.
    """

    def decorate(function: Callable[..., Iterable[Row]]) -> Callable[..., None]:
        function.__annotations__.pop("return", None)  # may be a type that is imported for checks only
        signature = inspect.signature(function, eval_str=True)
        own = frozenset(signature.parameters)

        @wraps(function)
        def run(*, where: Sequence[str] | None, only: str, as_csv: bool, as_json: bool, **given: Any) -> None:
            if as_json and as_csv:
                raise SettingRefused(Message("setting-json-csv-not-both"))
            if "as_json" in own:
                given["as_json"] = as_json
            names = chosen_columns(only, columns)
            rows = matching_rows(function(**given), where or (), columns)
            if as_json:
                print_json_rows({name: row.get(name) for name in names} if only else row for row in rows)
            elif as_csv:
                print_csv(rows, names)
            else:
                print_table(rows, names, title=title)

        further = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in _OPTIONS.items()
        ]
        before = [each for each in signature.parameters.values() if each.name not in _OPTIONS]
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in before] + further,
            return_annotation=None,
        )
        run.__annotations__ = {each.name: each.annotation for each in (*before, *further)}
        return command(run)

    return decorate


def chosen_columns(text: str, columns: Sequence[str]) -> Sequence[str]:
    """The columns named in `--columns`, by default all; SettingRefused with the names that exist."""
    known = {name.lower(): name for name in columns}
    try:
        return [known[name.strip().lower()] for name in text.split(",")] if text else columns
    except KeyError as error:
        raise SettingRefused(
            Message("setting-no-column-columns", column=str(error), columns=", ".join(columns))
        ) from None


def matching_rows(rows: Iterable[Row], conditions: Sequence[str], columns: Sequence[str]) -> Iterator[Row]:
    """The rows that have all values asked for, upper and lower case being the same."""
    wanted: list[tuple[str, str]] = []
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals:
            raise SettingRefused(Message("setting-not-form-name-value", condition=repr(condition)))
        wanted.append((chosen_columns(name, columns)[0], value.strip().lower()))
    return (row for row in rows if all(plain_text(row.get(name)).lower() == value for name, value in wanted))
