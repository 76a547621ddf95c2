"""What happens to the cluster, round after round, and how long nobody could write."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lab.failover.cluster import NODES, Cluster
from lab.failover.load import Acknowledged, Shop, Writer
from lab.failover.processes import kill_tree, wait_for
from lab.failover.service import Service

MOVES: Final = ("switchover",) * 12 + ("machine of the primary dies",) * 3 + ("PostgreSQL of the primary dies",) * 4 + (
    "machine of the primary hangs",
)  # fmt: skip
"""Kinds that make another node the primary, in their proportions."""

OTHERS: Final = ("machine of a standby dies", "server of paymatch dies", "node of etcd dies")
"""Kinds that leave it where it is: one after every fifth of the others."""

REST_SECONDS: Final = 1.0
_NEW_PRIMARY_SECONDS: Final = 90
_BACK_SECONDS: Final = 3.0
_AGAIN_SECONDS: Final = 90


@dataclass
class Round:
    """An event: its kind, and the longest time without an acknowledged write, in all and by each server."""

    kind: str
    gap_seconds: float
    by_server: list[float]
    healthy_seconds: float = 0.0
    roles: dict[str, int] = field(default_factory=dict)


def kinds(rounds: int, chance: random.Random) -> Iterator[str]:
    """The kinds of `rounds` moves of the primary, with others between them."""
    deck: list[str] = []
    for number in range(1, rounds + 1):
        if not deck:
            deck = list(MOVES)
            chance.shuffle(deck)
        yield deck.pop()
        if number % 5 == 0:
            yield chance.choice(OTHERS)


class Rounds:
    """Plays the rounds on a cluster under load."""

    def __init__(
        self, cluster: Cluster, service: Service, shop: Shop, writers: list[Writer], chance: random.Random
    ) -> None:
        self._cluster = cluster
        self._service = service
        self._shop = shop
        self._writers = writers
        self._chance = chance

    def play(self, kind: str) -> Round:
        """One round: something happens, and all is well again; how long the shop could not write."""
        time.sleep(REST_SECONDS)
        begun = time.monotonic()
        self._acts()[kind]()
        self._wait_for_writes(time.monotonic())
        self._cluster.wait_until_healthy()
        healthy = time.monotonic() - begun
        self._wait_for_writes(time.monotonic())
        ended, acknowledged = time.monotonic(), list(self._shop.acknowledged)
        by_server = [
            longest_gap([each for each in acknowledged if each.server == server], begun, ended)
            for server in range(len(self._shop.ports))
        ]
        gap = longest_gap(acknowledged, begun, ended)
        return Round(kind, gap, by_server, round(healthy, 1), self._cluster.roles())

    def _acts(self) -> dict[str, Callable[[], None]]:
        return {
            "switchover": self._cluster.switch_over,
            "machine of the primary dies": self._primary_dies,
            "PostgreSQL of the primary dies": self._postgres_dies,
            "machine of the primary hangs": self._primary_hangs,
            "machine of a standby dies": self._standby_dies,
            "server of paymatch dies": self._server_dies,
            "node of etcd dies": self._etcd_dies,
        }

    def _primary(self) -> int:
        return self._cluster.roles()["leader"]

    def _wait_for_another(self, than: int) -> None:
        wait_for("another primary", lambda: self._cluster.roles().get("leader", than) != than, _NEW_PRIMARY_SECONDS)

    def _primary_dies(self) -> None:
        node = self._primary()
        self._cluster.kill_node(node)
        self._wait_for_another(node)
        time.sleep(_BACK_SECONDS)
        self._cluster.patroni[node].start()

    def _postgres_dies(self) -> None:
        node = self._primary()
        if self._cluster.postmaster(node) is None:
            raise RuntimeError(f"PostgreSQL of node {node}, the primary, has no process")
        self._cluster.kill_postgres(node)
        self._wait_for_another(node)

    def _primary_hangs(self) -> None:
        node = self._primary()
        with self._cluster.frozen(node):
            self._wait_for_another(node)
            time.sleep(_BACK_SECONDS)

    def _standby_dies(self) -> None:
        roles = self._cluster.roles()
        node = roles[self._chance.choice(("sync_standby", "replica"))]
        self._cluster.kill_node(node)
        time.sleep(_BACK_SECONDS)
        self._cluster.patroni[node].start()

    def _server_dies(self) -> None:
        kill_tree(self._chance.choice(self._service.servers).pid)

    def _etcd_dies(self) -> None:
        node = self._chance.choice(NODES)
        self._cluster.etcd[node].kill()
        time.sleep(_BACK_SECONDS)
        self._cluster.etcd[node].start()

    def _wait_for_writes(self, since: float) -> None:
        """Until each server has acknowledged a write again."""
        servers = set(range(len(self._shop.ports)))

        def both() -> bool:
            if broken := [writer.broken for writer in self._writers if writer.broken]:
                raise RuntimeError(f"a writer was refused: {broken}")
            return {each.server for each in self._shop.acknowledged[-500:] if each.at > since} == servers

        wait_for("writes by both servers", both, _AGAIN_SECONDS)


def longest_gap(acknowledged: list[Acknowledged], begun: float, ended: float) -> float:
    """The longest time between two of them that touches the time from `begun` to `ended`; seconds."""
    moments = sorted(each.at for each in acknowledged)
    before = max((at for at in moments if at <= begun), default=begun)
    within = [at for at in moments if before < at <= ended]
    return round(max(later - earlier for earlier, later in zip([before, *within], [*within, ended], strict=True)), 2)
