"""Bank files with random damage: each is read or refused, within two seconds of CPU, and nothing else happens.

400 files in `make test`, 20,000 in `make soak`; a failing file is regenerated from its number.
"""

from __future__ import annotations

import io
import os
import random
from time import process_time

import pytest

from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, FileRefused, StatementHead
from tests.formats.camt.camt_samples import GERMAN, RETURN, SWISS_BATCH, camt053
from tests.formats.test_text_formats_damaged import CSV, MT940, OFX, SWIFT
from tests.hostile.bank_files import PUMPS_OF_MT940, PUMPS_OF_OFX, PUMPS_OF_TABLES

FILES = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 400
PARTS = 8
MOST_CPU_SECONDS = 2.0
SOUND = (MT940, SWIFT, CSV, OFX, camt053(GERMAN, RETURN, SWISS_BATCH).encode())
TOKENS = tuple(
    text.encode()
    for text in (
        *PUMPS_OF_TABLES, *PUMPS_OF_MT940, *PUMPS_OF_OFX, "\x00", "\x1b[2J", "\u202e", "\r", "\n\n", '"', ";",
        "<Ntry>", "</Ntry>", "<TxDtls>", "</Stmt>", "<!--", "<![CDATA[", "]]>", "&lt;", "&#0;", ":61:", ":86:", ":20:",
        "-\r\n", "9" * 30, "-1", "1e9", "0001-01-01", "99999999", "NaN", "€", "EUR", "XXX",
    )
)  # fmt: skip


def mutated(number: int) -> bytes:
    """The file of this number: a sound one with up to twelve damages, some of which repeat a piece very often."""
    chance = random.Random(number)
    data = bytearray(SOUND[number % len(SOUND)])
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data) + 1)
        length = chance.choice((1, 2, 8, 60, 400))
        kind = chance.randrange(7)
        if kind == 0:
            data[at : at + length] = b""
        elif kind == 1:
            data[at:at] = chance.choice(TOKENS)
        elif kind == 2:
            data[at:at] = chance.choice(TOKENS) * chance.choice((10, 1_000, 5_000))
        elif kind == 3:
            data[at:at] = data[at : at + length] * chance.choice((1, 3, 200))
        elif kind == 4:
            data[at : at + length] = chance.randbytes(length)
        elif kind == 5:
            other = SOUND[chance.randrange(len(SOUND))]
            begin = chance.randrange(len(other))
            data[at : at + length] = other[begin : begin + length]
        else:
            del data[at:]
        if not data:
            data += b" "
    return bytes(data[: 4 << 20])


def read_all(data: bytes) -> int:
    """How many postings the file stands for; 0 if it is refused."""
    postings = 0
    try:
        for _, events in read_statements(io.BytesIO(data), "mutated"):
            head: StatementHead | None = None
            for event in events:
                head = event if isinstance(event, StatementHead) else head
                if isinstance(event, Entry):
                    assert head is not None
                    postings += len(postings_of(head, event))
    except FileRefused:
        return 0
    return postings


@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_file_is_read_or_refused(part: int) -> None:
    read = 0
    for number in range(part, FILES, PARTS):
        data = mutated(number)
        began = process_time()
        try:
            read += read_all(data) > 0
        except Exception as error:
            raise AssertionError(f"file {number}: {error!r}") from error
        assert process_time() - began < MOST_CPU_SECONDS, f"file {number}"
    assert read > FILES / PARTS / 20, "too few of the files can be read at all"
