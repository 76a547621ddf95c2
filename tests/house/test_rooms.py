"""The picture of the rooms in docs/where.md."""

from __future__ import annotations

from tools.documents.rooms import picture


def test_every_room_says_what_it_is() -> None:
    lines = picture().splitlines()
    assert lines[0].startswith("    cli/ ")
    assert lines[-1].startswith("      words/ ")
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)
