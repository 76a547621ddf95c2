"""Templates of customers: escaped, in the customer's language, and closed to everything but their context."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError
from jinja2.exceptions import SecurityError

from paymatch.domain.money import EUR, Money
from paymatch.formats.languages.templates import render
from paymatch.formats.languages.texts import words


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of templates of a package named after the test's folder."""
    name = f"papers_{tmp_path.name}"
    package = tmp_path / name
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    return package / "templates"


def shown(folder: Path, file: str, source: str, **context: object) -> str:
    (folder / file).write_text(source)
    return render(folder.parent.name, file, words("de"), context)


def test_html_is_escaped_and_plain_text_is_not(write: Path) -> None:
    assert shown(write, "a.html", "{{ name }}", name="<b>&") == "&lt;b&gt;&amp;"
    assert shown(write, "a.txt", "{{ name }}", name="<b>&") == "<b>&"


def test_amounts_are_written_as_in_the_language(write: Path) -> None:
    assert shown(write, "b.txt", "{{ due|amount }} {{ language }}", due=Money(123450, EUR)) == "1.234,50\u00a0€ de"


@pytest.mark.parametrize("source", [
    "{{ ''.__class__.__mro__ }}", "{{ due.__init__.__globals__ }}", "{{ names.append(1) }}", "{{ names.clear() }}",
    "{{ cycler.__init__.__globals__.os }}", "{{ '{0.__class__}'.format(1) }}",
])  # fmt: skip
def test_nothing_beyond_the_context_is_reached(write: Path, source: str) -> None:
    names = ["a"]
    with pytest.raises(SecurityError):
        shown(write, "c.txt", source, due=Money(1, EUR), names=names)
    assert names == ["a"]


def test_a_misspelt_name_is_an_error(write: Path) -> None:
    with pytest.raises(UndefinedError):
        shown(write, "d.txt", "{{ nme }}", name="a")
