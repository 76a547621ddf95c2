"""Reads our PNG files into grey pixels, so that a reader of codes that is not ours can look at them."""

from __future__ import annotations

import io

import zxingcpp
from PIL import Image


def read_code(png: bytes) -> str:
    """The text of the one QR code in the picture."""
    found = zxingcpp.read_barcodes(grey(png), formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    assert len(found) == 1, f"{len(found)} codes"
    return found[0].bytes.decode("utf-8")


def grey(png: bytes) -> memoryview:
    """One byte per pixel, rows by columns."""
    with Image.open(io.BytesIO(png), formats=["PNG"]) as picture:
        return memoryview(picture.convert("L").tobytes()).cast("B", (picture.height, picture.width))
