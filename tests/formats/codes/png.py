"""Reads our PNG files into grey pixels, so that a reader of codes that is not ours can look at them."""

from __future__ import annotations

import struct
import zlib

import zxingcpp


def read_code(png: bytes) -> str:
    """The text of the one QR code in the picture."""
    found = zxingcpp.read_barcodes(grey(png), formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    assert len(found) == 1, f"{len(found)} codes"
    return found[0].bytes.decode("utf-8")


def grey(png: bytes) -> memoryview:
    """One byte per pixel, rows by columns."""
    width, height, depth, kind, raw, palette = _chunks(png)
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[kind]
    stride = (width * channels * depth + 7) // 8
    rows = _unfiltered(zlib.decompress(raw), height, stride, max(1, channels * depth // 8))
    pixels = bytearray()
    for row in rows:
        if depth == 8:
            pixels += row[::channels]
        else:
            values = [(row[x * depth // 8] >> (8 - depth - x * depth % 8)) & ((1 << depth) - 1) for x in range(width)]
            pixels += bytes(palette[value * 3] if kind == 3 else value * 255 // ((1 << depth) - 1) for value in values)
    return memoryview(bytes(pixels)).cast("B", (height, width))


def _chunks(png: bytes) -> tuple[int, int, int, int, bytes, bytes]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    place, data, palette = 8, b"", b""
    while place < len(png):
        size = struct.unpack(">I", png[place : place + 4])[0]
        name, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        data += content if name == b"IDAT" else b""
        palette = content if name == b"PLTE" else palette
        place += size + 12
    return width, height, depth, kind, data, palette


def _unfiltered(data: bytes, height: int, stride: int, step: int) -> list[bytes]:
    rows: list[bytes] = []
    above = bytes(stride)
    for number in range(height):
        start = number * (stride + 1)
        row = bytearray(data[start + 1 : start + 1 + stride])
        way = data[start]
        if way == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above, strict=True))
        elif way:
            for place in range(stride):
                left = row[place - step] if place >= step else 0
                corner = above[place - step] if place >= step else 0
                guess = {1: left, 3: (left + above[place]) // 2, 4: _paeth(left, above[place], corner)}[way]
                row[place] = (row[place] + guess) & 255
        above = bytes(row)
        rows.append(above)
    return rows


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
