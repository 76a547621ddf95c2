"""Whatever is a `Refused` is answered as one, by the API and by the command line, without being listed anywhere."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import typer

import paymatch
from paymatch.api.errors import ApiRefused, body_of, status_of
from paymatch.cli.context import command
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.refusal import Later, Refused, Unknown
from paymatch.domain.words.message import Message

TRANSLATED = {"IbanRefused", "ReceiverRefused", "SignatureRefused", "TransferRefused", "_HeaderRefused"}
"""Values that a parser does not take: each is caught where it was asked for, and none reaches a caller."""


class NewlyRefused(Refused):
    """A refusal that no edge has heard of."""


@pytest.mark.parametrize(
    ("error", "status", "body"),
    [
        (NewlyRefused(Message("text", value="Not now")), 400, {"error": "Not now"}),
        (Later(Message("text", value="Too much")), 503, {"error": "Too much"}),
        (OrderUnknown("A-1"), 404, {"error": "Order 'A-1' not found"}),
        (ApiRefused(401, Message("text", value="No key")), 401, {"error": "No key"}),
        (
            OrderRefused(
                Message("text", value="Not so"),
                parameter="type",
                number="A-1",
                index=0,
                allowed=("a", "b"),
                expected="a word",
            ),
            400,
            {
                "error": "Not so",
                "orderNumber": "A-1",
                "index": 0,
                "parameter": "type",
                "allowed": ["a", "b"],
                "expected": "a word",
            },
        ),
    ],
)
def test_the_api_answers_with_text_status_and_additions(error: Refused, status: int, body: object) -> None:
    assert (status_of(error), body_of(error)) == (status, body)


def test_a_command_ends_with_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    @command
    def refuse() -> None:
        raise NewlyRefused(Message("text", value="Not now,\n  says the shop"))

    with pytest.raises(typer.Exit) as ended:
        refuse()
    assert ended.value.exit_code == 1
    assert capsys.readouterr() == ("", "Error: Not now, says the shop\n")


def test_refusals_share_their_base_class() -> None:
    source = Path(paymatch.__file__).parent
    paths = [path.relative_to(source.parent).with_suffix("") for path in source.rglob("*.py")]
    names = [".".join(path.parts) for path in paths if path.parts[1:2] != ("area",)]  # Django wants its settings first
    found = {
        value.__name__: value
        for name in names
        if not name.endswith(("__main__", "__init__"))
        for value in vars(importlib.import_module(name)).values()
        if issubclass(type(value), type) and issubclass(value, Exception) and value.__module__.startswith("paymatch.")
    }
    by_name = {name for name in found if name.endswith(("Refused", "Unknown"))} - TRANSLATED
    assert len(by_name) >= 20
    assert {name for name in by_name if not issubclass(found[name], Refused)} == set()
    assert {name for name in by_name if issubclass(found[name], Unknown)} == {
        "AddressUnknown",
        "DialogueUnknown",
        "FileUnknown",
        "AdviceUnknown",
        "SenderUnknown",
        "AlertUnknown",
        "AliasUnknown",
        "CallbackUnknown",
        "CaseUnknown",
        "ConnectorUnknown",
        "ConsentUnknown",
        "EbicsUnknown",
        "ExportUnknown",
        "ImportUnknown",
        "InvoiceUnknown",
        "OrderImportUnknown",
        "OrderUnknown",
        "RefundUnknown",
        "ReportUnknown",
        "RunUnknown",
        "ShopUnknown",
        "SyncUnknown",
        "Unknown",
    }
