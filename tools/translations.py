"""The merchant area's translations: collects what is to be translated, and compiles what was.

python -m tools.translations          brings locale/*/LC_MESSAGES/django.po and .mo up to date
python -m tools.translations --check  exit code 1 if they are not, or if a translation is missing
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from paymatch.area.configuration import set_up_django
from paymatch.settings import Settings

ROOT: Final = Path(__file__).resolve().parents[1] / "src" / "paymatch" / "area"
LOCALES: Final = ("de",)
_HEADER: Final = "# Texts of the merchant area. msgid and order come from the code: python -m tools.translations"
_UNUSED: Final = (b"-Date:", b"Generated-By", b"Report-Msgid-Bugs-To", b"Last-Translator", b"Language-Team")
_NO_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)  # the same texts make the same file
_WORDS: Final = ("_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "npgettext")
_RENAMED: Final = re.compile(r"import (\w*gettext\w*) as (\w+)")


def collected() -> Catalog:
    """Every text of modules and templates that is to be translated, in the order of their files."""
    found = Catalog(project="paymatch", charset="utf-8")
    for path in sorted([*ROOT.rglob("*.py"), *ROOT.rglob("*.html")]):
        text = path.read_text("utf-8")
        source = _flat(templatize(text)) if path.suffix == ".html" else text
        for function, parts in _found_in(source):
            context = parts.pop(0) if "pgettext" in function else None
            message = (parts[0], parts[1]) if function.startswith(("ngettext", "npgettext")) else parts[0]
            found.add(message, context=context, flags=["python-format"] if "%(" in parts[0] else [])
    return found


def _flat(source: str) -> str:
    """What Django makes of a template, without its indentation, which is that of HTML and not of Python."""
    return "\n".join(line.strip() for line in source.splitlines())


def _found_in(source: str) -> Iterator[tuple[str, list[str]]]:
    """(function, its literal arguments) of every call that marks a text."""
    names = {word: word for word in _WORDS} | {own: word for word, own in _RENAMED.findall(source)}
    found: Any = extract_python(io.BytesIO(source.encode()), tuple(names), [], {})  # type: ignore[arg-type]
    for _, function, texts, _ in found:
        parts = [texts] if isinstance(texts, str) else [part for part in texts or () if part is not None]
        if parts:
            yield names[function], parts


def brought_up_to_date(locale: str, texts: Catalog) -> tuple[bytes, bytes, list[str]]:
    """(the .po file, the .mo file, texts without a translation) of a language."""
    path = _folder(locale) / "django.po"
    written = io.BytesIO(path.read_bytes()) if path.exists() else io.BytesIO()
    known = read_po(written, locale=locale)
    known.update(texts, no_fuzzy_matching=True, update_header_comment=False)
    known.obsolete.clear()
    known.project, known.version, known.header_comment, known.fuzzy = "paymatch", "", _HEADER, False
    missing = [str(each.id) for each in known if each.id and not (each.string and all(_strings(each.string)))]
    human, machine = io.BytesIO(), io.BytesIO()
    write_po(human, known, omit_header=False, sort_output=True, no_location=True, width=118)
    body = b"\n".join(line for line in human.getvalue().splitlines() if not any(each in line for each in _UNUSED))
    compiled = read_po(io.BytesIO(body), locale=locale)
    compiled.creation_date = compiled.revision_date = _NO_DATE
    write_mo(machine, compiled)
    return body + b"\n", machine.getvalue(), missing


def main(arguments: list[str]) -> int:
    """Writes or checks all languages."""
    with TemporaryDirectory() as folder:  # the installation's own secret is left alone
        set_up_django(Settings(data_dir=Path(folder)), "postgresql://127.0.0.1:1/none", as_owner=True)
    texts, problems = collected(), []
    for locale in LOCALES:
        human, machine, missing = brought_up_to_date(locale, texts)
        problems += [f"{locale}: no translation of {text!r}" for text in missing]
        for name, content in (("django.po", human), ("django.mo", machine)):
            path = _folder(locale) / name
            if path.exists() and path.read_bytes() == content:
                continue
            if arguments:
                problems.append(f"{path.name} of {locale} is out of date: python -m tools.translations")
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    print("\n".join(problems) or "translations: complete")
    return 1 if problems else 0


def _folder(locale: str) -> Path:
    return ROOT / "locale" / locale / "LC_MESSAGES"


def _strings(value: str | tuple[str, ...] | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
