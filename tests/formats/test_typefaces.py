"""All documents that typst writes have the same typeface: that of letters."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

FORMATS = Path(str(resources.files("paymatch.formats")))


def test_every_template_of_a_document_names_the_typeface_of_letters() -> None:
    templates = sorted(FORMATS.rglob("*.typ"))
    assert [path.name for path in templates] == [
        "summary.typ", "bank_letter.typ", "letter.typ", "personal_data.typ", "result.typ",
    ]  # fmt: skip
    found = {re.findall(r"#set text\(font: \(([^)]*)\)", path.read_text("utf-8"))[0] for path in templates}
    assert found == {'"Liberation Sans", "Arial", "Helvetica", "DejaVu Sans", "Libertinus Serif"'}
