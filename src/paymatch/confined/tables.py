"""Looking at a table in a process of its own, before a person maps its columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, WorkFailed
from paymatch.domain.words.message import Message, message_of
from paymatch.formats.statement import FileRefused


def look_at_table(
    look: Callable[..., dict[str, Any]], stream: BinaryIO, budget: ProcessBudget, **known: Any
) -> dict[str, Any]:
    """What `look` finds in a process of its own; FileRefused if it cannot be read, or not within the budget."""
    with confined.as_file(stream) as file:
        try:
            found: dict[str, Any] = confined.run(look, budget, [file], **known)
        except Overrun as error:
            raise FileRefused(Message("table-not-shown", what=error.message)) from None
        except Crashed as error:
            raise FileRefused(Message("table-not-read", what=error.message)) from None
        except WorkFailed as error:
            raise FileRefused(Message("table-not-read", what=Message("text", value=str(error)))) from None
    if "refused" in found:
        raise FileRefused(message_of(found["refused"]))
    return found
