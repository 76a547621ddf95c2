"""A page is played: what a reader would type is typed, and what the page shows is compared with what comes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tests.documents import answers, elsewhere
from tests.documents.needs import prepared
from tests.documents.pages import Kind, Piece
from tests.documents.shell import Ran
from tests.documents.world import SHOP, World, moved

_PROGRAMS: Final = frozenset({"paymatch", ".venv/bin/paymatch", "curl", "printf", "export"})
_OUR_SHOP = re.compile(r'"(My [^"]*shop)"')


def play(world: World, page: Sequence[Piece]) -> list[str]:
    """What is wrong with the page, a line each."""
    for each in page:
        if each.kind is Kind.FILE:
            (world.folder / each.language).write_text(each.text, "utf-8")
    played = _Played(world)
    return list(played.problems(page))


class _Played:
    def __init__(self, world: World) -> None:
        self._world = world
        self._last = Ran(0, "", "")
        self._ways: dict[Kind, Callable[[Piece], str | None]] = {
            Kind.COMMAND: self._command,
            Kind.CALL: self._call,
            Kind.REQUEST: self._request,
            Kind.OUTPUT: self._output,
            Kind.FILE: lambda _: None,
            Kind.CODE: elsewhere.code_problem,
            Kind.SETTINGS: elsewhere.settings_problem,
            Kind.LISTING: elsewhere.listing_problem,
        }

    def problems(self, page: Sequence[Piece]) -> Iterator[str]:
        """What is wrong, from the first piece of the page to its last."""
        for place, each in enumerate(page):
            shows = place + 1 < len(page) and page[place + 1].kind is Kind.OUTPUT
            if each.inline and not shows:
                continue
            problem = self._ways[each.kind](each)
            if problem:
                yield f"{each.page}:{each.line}: {each.text.splitlines()[0]}: {problem}"

    def _command(self, piece: Piece) -> str | None:
        words = piece.words
        if words[0] not in _PROGRAMS or elsewhere.why_not_run(words):
            return elsewhere.command_problem(words)
        self._choose_shop(piece.text)
        self._last = self._world.shell.run(self._at_home(prepared(self._world, piece.text)))
        ended = self._last
        return None if ended.code == 0 else f"exit {ended.code}: {ended.err or ended.out}"

    def _call(self, piece: Piece) -> str | None:
        method, path = prepared(self._world, piece.text).split()
        reply = self._world.client.send(method, path.removeprefix("/api/v2/"))
        self._last = Ran(reply.status, reply.body.decode(), "")
        return None if reply.status == 200 else f"{reply.status}: {reply.body.decode()}"

    def _request(self, piece: Piece) -> str | None:
        """What the page shows is what a receiver gets."""
        assert self._world.client.post("callbacks/test").status == 200
        self._world.run("paymatch worker --once")
        return answers.request_differs(piece.text, self._world.receiver.requests[-1].decode())

    def _output(self, piece: Piece) -> str | None:
        if not piece.text.startswith("FAILED "):
            return answers.differs(piece.text, self._last.out)
        return self._failing(piece.text)

    def _failing(self, shown: str) -> str | None:
        """A scenario that expects what the page says it expects ends with the lines that it shows."""
        name, value, expected, found = answers.difference(shown)
        path = self._world.folder / name
        path.write_text(path.read_text("utf-8").replace(f"{value}: {found}", f"{value}: {expected}"), "utf-8")
        ran = self._world.shell.run(f"paymatch scenario {name}")
        same = [line.rstrip() for line in ran.out.splitlines()][: len(shown.splitlines())] == shown.splitlines()
        return None if (ran.code, same) == (1, True) else f"exit {ran.code}: {ran.out}"

    def _choose_shop(self, text: str) -> None:
        """The shop that the command names is the one for which its needs are met."""
        named = _OUR_SHOP.search(text)
        name = named[1] if named else SHOP if SHOP in text else self._world.name
        if name in self._world.clients:
            self._world.name = name

    def _at_home(self, text: str) -> str:
        """The command as it is typed here: with the addresses of this installation, on days of this year."""
        world = self._world
        here = {
            "https://shop.example/payment-status": f"http://127.0.0.1:{world.receiver.port}/payment-status",
            "https://fints.example.com/": world.fints,
            "https://pay.shop.example": world.url,
            "http://127.0.0.1:8000": world.url,
            "/var/backups/paymatch": str(world.folder),
        }
        for shown, real in here.items():
            text = text.replace(shown, real)
        return moved(text, world.today)
