"""Reports of a collection agency: CSV with a header, or a JSON array, with the same names (docs/collection.md)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from paymatch.domain.collection.cases import CaseStatus, CollectionRefused
from paymatch.domain.words.message import Message

MAX_ROWS: Final = 100_000
MAX_TEXT: Final = 1_000
_NAMES: Final = ("orderNumber", "file", "status", "description")


@dataclass(frozen=True, slots=True)
class AgencyReport:
    """What the agency says of a case, by its own number or the order's. `status` None: only words or a number."""

    number: str
    file: str = ""
    status: CaseStatus | None = None
    description: str = ""


def read_reports(content: bytes, most: int = MAX_ROWS) -> list[AgencyReport]:
    """All reports of a file; CollectionRefused with the first row that cannot be read, or if they are too many."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CollectionRefused(Message("collection-report-not-utf-8")) from None
    rows = _of_json(text, most) if text.lstrip().startswith("[") else _of_csv(text, most)
    return [report_of(row, place) for place, row in enumerate(rows, start=1)]


def report_of(row: object, place: int) -> AgencyReport:
    """One report; CollectionRefused."""
    if not isinstance(row, Mapping):
        raise CollectionRefused(Message("collection-report-not-object", place=place))
    number, file, status, description = (_text(row.get(name), name, place) for name in _NAMES)
    if not number and not file:
        raise CollectionRefused(Message("collection-report-names-neither-ordernumber", place=place))
    if not status and not file and not description:
        raise CollectionRefused(Message("collection-report-says-nothing-status", place=place))
    return AgencyReport(number, file, _status(status, place), description)


def _status(text: str, place: int) -> CaseStatus | None:
    if not text:
        return None
    try:
        found = CaseStatus(text.upper())
    except ValueError:
        found = CaseStatus.SUBMITTED
    if found in (CaseStatus.SUBMITTED, CaseStatus.WITHDRAWN):  # which are ours to say
        allowed = ", ".join(each for each in CaseStatus if each not in (CaseStatus.SUBMITTED, CaseStatus.WITHDRAWN))
        raise CollectionRefused(Message("collection-report-status-one", place=place, allowed=allowed))
    return found


def _text(value: object, name: str, place: int) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise CollectionRefused(Message("collection-report-not-text", place=place, name=name))
    text = " ".join(str(value).split())
    if len(text) > MAX_TEXT or not text.isprintable():
        raise CollectionRefused(
            Message("collection-report-more-than-characters", place=place, name=name, most=MAX_TEXT)
        )
    return text


def _of_json(text: str, most: int) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise CollectionRefused(Message("collection-report-not-valid-json")) from None
    if not isinstance(found, list) or len(found) > most:
        raise CollectionRefused(Message("collection-report-not-array-most", most=f"{most:,}"))
    return found


def _of_csv(text: str, most: int) -> Iterator[dict[str, str]]:
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in head else ",", strict=True)
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        if "status" not in names or not {"orderNumber", "file"} & set(names):
            raise CollectionRefused(Message("collection-report-needs-first-line", names=", ".join(_NAMES)))
        for place, row in enumerate(reader):
            if place >= most:
                raise CollectionRefused(Message("collection-report-more-than-rows", most=f"{most:,}"))
            yield {
                name.strip(): value for name, value in row.items() if isinstance(name, str) and isinstance(value, str)
            }
    except csv.Error as error:
        raise CollectionRefused(Message("collection-report-not-valid-csv", error=str(error))) from None
