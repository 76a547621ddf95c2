"""An attempt to find an erased person again: in every spelling, in everything that is stored and in every file."""

from __future__ import annotations

import io
import json
import unicodedata
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import quote_plus

import pytest
import xlsxwriter

from paymatch.domain.privacy.person import sought
from paymatch.outbound.files import DirectoryFiles
from paymatch.settings import Settings
from paymatch.store.database import Database
from paymatch.usecases.privacy import erasing
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books
from tests.usecases.privacy.searching import places_with
from tests.usecases.privacy.test_erasing import EMAIL, IBAN, NAME, World, live

NFD = unicodedata.normalize("NFD", NAME)
HYPHENED, GROUPED = "Änne-Schmidt", "DE75-5121-0800-1245-1261-99"
ASCII_JSON, ASCII_XML = json.dumps(NAME)[1:-1], NAME.encode("ascii", "xmlcharrefreplace").decode()
SPELLINGS = (
    NAME, "Aenne Schmidt", "SCHMIDT, ÄNNE", "anneschmidt", NFD, HYPHENED, ASCII_JSON, ASCII_XML, quote_plus(NAME),
    EMAIL, EMAIL.upper(), quote_plus(EMAIL), IBAN, " ".join(IBAN[at : at + 4] for at in range(0, 22, 4)), GROUPED,
    "030 1234567", "+49 30 1234567",
)  # fmt: skip
FOLDERS = ("transfers", "letters", "collection", "exports", "mail")


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[World]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    (tmp_path / "drop").mkdir()
    shop = shops.create(database, "Forgetful", Books.now - timedelta(days=60), ibans=[ACCOUNT]).shop
    yield World(Books(database, shop), migrated_url, tmp_path)
    database.close()


def noted_elsewhere(world: World) -> None:
    """What names the person at somebody else's order, or at nobody's, in every spelling."""
    shop, vault = world.books.shop.id, KEYRING.vault(world.books.shop.id)
    for place, spelling in enumerate(SPELLINGS):
        said = f"not Bernd: {spelling}."
        world.run("INSERT INTO order_comments VALUES (%s, 'B-1', %s, 'Cora', %s, now())", shop, place + 10, said)
        world.run("INSERT INTO alerts (shop_id, id, kind, subject, text, created_at, code, named)"
                  " VALUES (%s, %s, 'mail-refused', %s, %s, now(), 'x', %s)", shop, f"al_x{place}", said, said,
                  json.dumps({"address": said}))  # fmt: skip
        world.run("INSERT INTO api_requests VALUES (%s, now(), %s, 'k', 'POST', 'orders', %s, '', 400, 1, %s, %s)",
                  shop, f"x{place}", f"q={quote_plus(spelling)}", vault.seal("api_requests.sent", f'["{said}"]'),
                  vault.seal("api_requests.sent", said))  # fmt: skip
        world.run("INSERT INTO import_errors (shop_id, import_id, position, line, reason, raw, resolved_by,"
                  " statement_id) VALUES (%s, 'imp', %s, 1, %s, %s, '', '')", shop, place + 10, said,
                  vault.seal("import_errors.raw", f"<Ustrd>{said}</Ustrd>"))  # fmt: skip
        run = f"run{place}"
        world.run(
            "INSERT INTO import_runs (shop_id, id, state, file_name, report, error, started_at,"
            " alive_until) VALUES (%s, %s, 'refused', %s, %s, %s, now(), now())",
            shop,
            run,
            said,
            said,
            said,
        )


def files_elsewhere(world: World, settings: Settings) -> int:
    """A file of each kind in each folder, in every spelling; how many there are."""
    written = 0
    for place, spelling in enumerate(SPELLINGS):
        mail = EmailMessage()
        mail["To"], mail["Subject"] = "bernd@example.org", "Your order"
        mail.set_content(f"Dear Bernd, this was ordered by {spelling}.", cte="quoted-printable")
        archive, table = io.BytesIO(), io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("message.json", json.dumps({"debtor": spelling}, ensure_ascii=False))
        book = xlsxwriter.Workbook(table)
        book.add_worksheet().write_string(0, 0, f"{spelling} paid")
        book.close()
        contents = {
            "a.csv": f"1;{spelling};2\n".encode(), "b.xml": f"<Nm>{spelling}</Nm>".encode(),
            "c.sta": f":86:{spelling}".encode(), "d.eml": mail.as_bytes(), "e.zip": archive.getvalue(),
            "f.xlsx": table.getvalue(), "g.txt": f"{spelling}".encode(),
        }  # fmt: skip
        for folder in FOLDERS:
            root = settings.data_dir / folder / str(world.books.shop.id)
            root.mkdir(parents=True, exist_ok=True)
            for name, content in contents.items():
                (root / f"{place}{name}").write_bytes(content)
                written += 1
    return written


def test_no_spelling_is_found_anywhere(world: World) -> None:
    live(world)
    noted_elsewhere(world)
    settings = Settings(data_dir=world.folder / "data")
    folders = Folders.of(settings, world.books.shop)
    written = files_elsewhere(world, settings)
    kept = settings.data_dir / "exports" / str(world.books.shop.id) / "bernd.csv"
    kept.write_text("1;Bernd Beispiel;2\n")
    folders = Folders([world.folder / "drop", *folders.roots])
    assert len(places_with(world.url, *SPELLINGS, folder=world.folder)) > written
    done = erasing.erase(
        world.books.database, world.books.shop, sought(email=EMAIL), DirectoryFiles(world.folder / "files"), folders,
        world.books.now + timedelta(days=30),
    )  # fmt: skip
    found = {spelling: places_with(world.url, spelling, folder=world.folder) for spelling in SPELLINGS}
    assert {spelling: places for spelling, places in found.items() if places} == {}
    assert sum(done.files.values()) >= written
    assert kept.read_text() == "1;Bernd Beispiel;2\n", "others keep their files"
    assert places_with(world.url, "bernd@example.org") == {"orders.doc", "order_search.customer"}
    world.books.sound()
