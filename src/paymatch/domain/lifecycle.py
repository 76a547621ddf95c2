"""Lifecycles: the status that follows each event, as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, TypeVar

from paymatch.domain.refusal import Refused

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Lifecycle(Generic[S, E]):
    """The moves of one kind of thing; a move that is not in the table is refused."""

    initial: frozenset[S]  # the status of a new or imported thing
    moves: Mapping[tuple[S, E], S]
    refused: Callable[..., Refused]  # makes the refusal of (status, event)

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", MappingProxyType(dict(self.moves)))

    def allows(self, status: S, event: E) -> bool:
        """Whether the table has this move."""
        return (status, event) in self.moves

    def move(self, status: S, event: E, **about: str) -> S:
        """Status after `event`; otherwise raises the lifecycle's refusal, which also takes `about`."""
        try:
            return self.moves[status, event]
        except KeyError:
            raise self.refused(status, event, **about) from None
