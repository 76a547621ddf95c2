"""Translations: collects what is to be translated, and compiles what was, per domain and language.

Two domains (gettext): `django`, what people read in the merchant area, and `customers`, what customers
and collection agencies read.

python -m tools.translations          brings every .po below locale/ up to date, and compiles them
python -m tools.translations --check  exit code 1 if they are not, or if a translation is missing or wrong
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_python
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize
from jinja2.ext import babel_extract

from paymatch.area.configuration import set_up_django
from paymatch.area.language.reader_language import languages_in
from paymatch.domain.words.english import TRANSLATED
from paymatch.domain.words.template import Template
from paymatch.formats.languages.texts import DOMAIN as CUSTOMERS
from paymatch.formats.languages.texts import LANGUAGES, SOURCE
from paymatch.settings import Settings
from tools.catalogues import build

ROOT: Final = Path(__file__).resolve().parents[1] / "src" / "paymatch"
_HOW: Final = "msgid and order come from the code: python -m tools.translations"
_UNUSED: Final = (b"-Date:", b"Generated-By", b"Report-Msgid-Bugs-To", b"Last-Translator", b"Language-Team")
_WORDS: Final = ("_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "npgettext")
_RENAMED: Final = re.compile(r"import (\w*gettext\w*) as (\w+)")
_PLACE: Final = re.compile(r"%\(\w+\)[sd]|\{\w+\}")

Marked = tuple[str, list[str]]
"""(function, its literal arguments) of a call that marks a text."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Texts with catalogues of their own."""

    name: str
    folder: Path  # where its locale/ is
    locales: tuple[str, ...]
    whose: str
    rooms: tuple[str, ...]  # below src/paymatch
    templates: str
    found_in_template: Callable[[str], Iterator[Marked]]
    sentences: tuple[Template, ...] = ()  # of the domain, which marks nothing itself

    def collected(self) -> Catalog:
        """Every text of modules and templates that is to be translated, in the order of their files."""
        found = Catalog(project="paymatch", charset="utf-8")
        paths = {path for room in self.rooms for pattern in ("*.py", self.templates) for path in _below(room, pattern)}
        for path in sorted(paths):
            text = path.read_text("utf-8")
            for function, parts in found_in_python(text) if path.suffix == ".py" else self.found_in_template(text):
                context = parts.pop(0) if "pgettext" in function else None
                message = (parts[0], parts[1]) if function.startswith(("ngettext", "npgettext")) else parts[0]
                found.add(message, context=context, flags=["python-format"] if "%(" in parts[0] else [])
        for sentence in self.sentences:
            found.add(sentence)
        return found

    def file(self, locale: str, suffix: str) -> Path:
        """The catalogue of a language, for people (.po) or for the program (.mo)."""
        return self.folder / "locale" / locale / "LC_MESSAGES" / f"{self.name}{suffix}"


def _below(room: str, pattern: str) -> Iterable[Path]:
    return (ROOT / room).rglob(pattern)


def found_in_python(source: str) -> Iterator[Marked]:
    """What calls mark; the module may have imported their function under another name."""
    names = {word: word for word in _WORDS} | {own: word for word, own in _RENAMED.findall(source)}
    yield from _marked(extract_python(io.BytesIO(source.encode()), tuple(names), [], {}), names)  # type: ignore[arg-type]


def found_in_django(source: str) -> Iterator[Marked]:
    """What a template of Django marks; its indentation is that of HTML and not of Python."""
    return found_in_python("\n".join(line.strip() for line in templatize(source).splitlines()))


def found_in_jinja(source: str) -> Iterator[Marked]:
    """What a template of Jinja marks."""
    options = {"trimmed": "true", "newstyle_gettext": "true", "trim_blocks": "true", "lstrip_blocks": "true"}
    words = [word for word in _WORDS if not word.endswith("_lazy")]
    yield from _marked(babel_extract(io.BytesIO(source.encode()), words, [], options), {word: word for word in words})


def _marked(found: Any, names: dict[str, str]) -> Iterator[Marked]:
    for _, function, texts, _ in found:
        parts = [texts] if isinstance(texts, str) else [part for part in texts or () if part is not None]
        if parts:
            yield names[function], parts


def _languages_of(folder: Path) -> tuple[str, ...]:
    return tuple(code for code, _ in languages_in([folder / "locale"]) if code != SOURCE)


DOMAINS: Final = (
    Domain(
        "django", ROOT / "area", _languages_of(ROOT / "area"), "Texts of the merchant area", ("area",),
        "templates/**/*.*", found_in_django,
        tuple(TRANSLATED.values()),
    ),
    Domain(
        CUSTOMERS, ROOT / "formats" / "languages", tuple(sorted(set(LANGUAGES) - {SOURCE})),
        "What customers and collection agencies read", ("formats", "pages", "usecases/customers"),
        "templates/**/*.*", found_in_jinja,
    ),
)  # fmt: skip


def brought_up_to_date(domain: Domain, locale: str, texts: Catalog) -> tuple[bytes, list[str]]:
    """(the .po file, what is wrong with its translations) of a language."""
    path = domain.file(locale, ".po")
    written = io.BytesIO(path.read_bytes()) if path.exists() else io.BytesIO()
    known = read_po(written, locale=locale)
    known.update(texts, no_fuzzy_matching=True, update_header_comment=False)
    known.obsolete.clear()
    known.project, known.version, known.fuzzy = "paymatch", "", False
    known.header_comment = f"# {domain.whose}. {_HOW}"
    problems = [problem for each in known if each.id for problem in _problems(each, known.num_plurals)]
    human = io.BytesIO()
    write_po(human, known, omit_header=False, sort_output=True, no_location=True, width=118)
    body = b"\n".join(line for line in human.getvalue().splitlines() if not any(each in line for each in _UNUSED))
    return body + b"\n", problems


def _problems(message: Message, plurals: int) -> Iterator[str]:
    """What is missing of a translation, and placeholders that it has lost or made up.

    One that is marked as fuzzy is left out of the compiled catalogue, so the reader would see English.
    """
    sources, texts = _strings(message.id), _strings(message.string or "")
    if message.fuzzy:
        yield f"the translation of {sources[0]!r} is fuzzy: check it, and remove the mark"
    wanted = plurals if message.pluralizable else 1
    if len(texts) != wanted or not all(texts):
        yield f"no translation of {sources[0]!r}"
        return
    places = {place for text in sources for place in _PLACE.findall(text)}
    for text in texts:
        # A form for one thing may leave the number out, as a form for one does in English.
        other = places ^ set(_PLACE.findall(text))
        if other and not (message.pluralizable and text == texts[0] and other <= places):
            yield f"{text!r} has not the placeholders of {sources[0]!r}"


def main(arguments: list[str]) -> int:
    """Writes or checks all languages of all domains."""
    with TemporaryDirectory() as folder:  # the installation's own secret is left alone
        set_up_django(Settings(data_dir=Path(folder)), "postgresql://127.0.0.1:1/none", as_owner=True)
    problems = []
    for domain in DOMAINS:
        texts = domain.collected()
        for locale in domain.locales:
            written, wrong = brought_up_to_date(domain, locale, texts)
            problems += [f"{locale}: {problem}" for problem in wrong]
            path = domain.file(locale, ".po")
            if path.exists() and path.read_bytes() == written:
                continue
            if arguments:
                problems.append(f"{path.name} of {locale} is out of date: python -m tools.translations")
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(written)
    if not arguments:
        build()
    print("\n".join(problems) or "translations: complete")
    return 1 if problems else 0


def _strings(value: str | tuple[str, ...] | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
