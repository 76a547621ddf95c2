"""A shop's brand: what its customers see, and what of an uploaded picture is kept."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image, PngImagePlugin

from paymatch.domain.shops.brand import Brand, Logo
from paymatch.domain.shops.colours import USUAL_ACCENT, Colour
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.brand.logo_file import MAX_BYTES, LogoRefused
from paymatch.usecases import audit
from paymatch.usecases.shops import brands, shops
from tests.usecases.conftest import Books


def picture(kind: str, size: tuple[int, int] = (1280, 240), mode: str = "RGB", **more: object) -> bytes:
    written = BytesIO()
    Image.new(mode, size, "teal").save(written, kind, **more)
    return written.getvalue()


def seen(books: Books) -> Brand:
    with books.database.of_shop(books.shop) as tx:
        return brands.brand_of(tx)


def change(books: Books, **settings: str) -> None:
    with books.database.of_shop(books.shop) as tx:
        shops.change(tx, {name.replace("_", "-"): text for name, text in settings.items()})


def test_a_new_shop_has_its_name_and_the_usual_colour(books: Books) -> None:
    assert seen(books) == Brand("Books", USUAL_ACCENT)


def test_customers_see_what_the_shop_has_set(books: Books) -> None:
    change(
        books, mail_name="Books & more", accent="0F6B4F", contact_email="help@books.example",
        contact_phone="+49 30 901820", website="https://books.example", legal_footer="Books GmbH \r\n Am Markt 1",
    )  # fmt: skip
    assert seen(books) == Brand(
        "Books & more", Colour(0x0F, 0x6B, 0x4F), "help@books.example", "+49 30 901820", "https://books.example",
        "Books GmbH\nAm Markt 1",
    )  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [
    ("accent", "red;}body{display:none"), ("contact_phone", "0900 <b>"), ("website", "javascript:alert(1)"),
    ("website", "http://shop.example"), ("website", 'https://shop.example/"><script>'), ("legal_footer", "x" * 1001),
    ("legal_footer", "a\n" * 13), ("legal_footer", "a\x1b[2Jb"), ("contact_email", "a@b\nBcc: c@d.example"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(books: Books, name: str, text: str) -> None:
    with pytest.raises(SettingRefused):
        change(books, **{name: text})
    assert seen(books) == Brand("Books", USUAL_ACCENT)


def test_a_logo_is_drawn_anew_and_recorded(books: Books) -> None:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", "<?php system('id') ?>")
    logo = brands.read_logo(picture("PNG", mode="RGBA", pnginfo=notes) + b"<script>alert(1)</script>")
    assert (logo.width, logo.height) == (640, 120)
    assert b"php" not in logo.png
    assert b"script" not in logo.png
    with books.database.of_shop(books.shop) as tx:
        brands.set_logo(tx, logo, books.now)
    assert seen(books).logo == logo
    with books.database.of_shop(books.shop) as tx:
        assert (brands.remove_logo(tx), brands.remove_logo(tx)) == (True, False)
    assert seen(books).logo is None
    entries = [(each["action"], each["subject"]) for each in audit.last_entries(books.database, books.shop, "logo", 5)]
    assert entries == [("settings-changed", "logo")] * 2


def test_a_photograph_becomes_a_png_the_right_way_up() -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # EXIF 2.3, Orientation: the camera was held upright
    turned[0x010E] = "where I live"
    logo = brands.read_logo(picture("JPEG", (300, 200), exif=turned))
    assert (logo.width, logo.height) == (160, 240)
    assert logo.png.startswith(b"\x89PNG")
    assert b"where I live" not in logo.png
    assert isinstance(logo, Logo)


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "The file is empty"),
    (b"\x89PNG\r\n\x1a\n" + b"\0" * MAX_BYTES, "The file is too large: 2 MB are allowed"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "A PNG or JPEG picture is expected"),
    (picture("GIF"), "A PNG or JPEG picture is expected"),
    (picture("PNG")[:80], "A PNG or JPEG picture is expected"),
    (picture("PNG", (6000, 6000), "1"), "The picture is too large: 25 million pixels are allowed"),
], ids=["empty", "large", "svg", "gif", "cut", "bomb"])  # fmt: skip
def test_no_picture_no_logo(content: bytes, reason: str) -> None:
    with pytest.raises(LogoRefused) as refused:
        brands.read_logo(content)
    assert str(refused.value) == reason
