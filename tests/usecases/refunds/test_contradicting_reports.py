"""Status reports that contradict themselves, each other, or what we sent: a refund is neither sent twice nor called
sent on their word alone (D-113); the honest report beside each of them settles as it is.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import HoldReason
from paymatch.formats.sepa.pain002 import SentTransfer, read_pain002
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.usecases.refunds.bank_reports import watch_silence
from paymatch.usecases.refunds.transfer_files import discard
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld, texts

_ISO = "urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


class _Sent:
    """A transfer file of two refunds, EUR 30.00 and 20.00, at the bank; reports on it are written by hand."""

    def __init__(self, world: RefundWorld) -> None:
        self.world = world
        world.paid("SO-1")
        self.ids = [world.file("SO-1", amount, f"R/{amount}") for amount in (30, 20)]
        world.clock.now = world.clock.now.replace(day=3)
        world.run()
        self.names = [world.end_to_end(refund) for refund in self.ids]
        content = world.contents()[0]
        self.message, self.batch = texts(content, "GrpHdr/MsgId")[0], texts(content, "PmtInf/PmtInfId")[0]

    def transaction(self, place: int, said: str, *, amount: str = "", iban: str = "", name: str | None = None) -> str:
        """What a report says of one transfer, with the original amount and account if given."""
        paid = f'<Amt><InstdAmt Ccy="EUR">{amount}</InstdAmt></Amt>' if amount else ""
        account = f"<CdtrAcct><Id><IBAN>{iban}</IBAN></Id></CdtrAcct>" if iban else ""
        why = "<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>" if said == "RJCT" else ""
        return (
            f"<TxInfAndSts><OrgnlEndToEndId>{self.names[place] if name is None else name}</OrgnlEndToEndId>"
            f"<TxSts>{said}</TxSts>{why}<OrgnlTxRef>{paid}{account}</OrgnlTxRef></TxInfAndSts>"
        )

    def block(self, *transactions: str, said: str = "", batch: str = "") -> str:
        own = f"<PmtInfSts>{said}</PmtInfSts>" if said else ""
        name = batch or self.batch
        return (
            f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>{name}</OrgnlPmtInfId>{own}{''.join(transactions)}</OrgnlPmtInfAndSts>"
        )

    def document(self, *blocks: str, group: str = "", message: str = "", namespace: str = _ISO) -> bytes:
        status = f"<GrpSts>{group}</GrpSts>" if group else ""
        return (
            f'<Document xmlns="{namespace}"><CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId></GrpHdr><OrgnlGrpInfAndSts>'
            f"<OrgnlMsgId>{message or self.message}</OrgnlMsgId>{status}</OrgnlGrpInfAndSts>{''.join(blocks)}"
            "</CstmrPmtStsRpt></Document>"
        ).encode()

    def say(self, *transactions: str, **more: str) -> None:
        """Imports a report with one block."""
        self.world.report(self.document(self.block(*transactions), **more))

    def statuses(self) -> list[str]:
        return [self.world.status(refund) for refund in self.ids]

    def alerts(self) -> list[str]:
        rows = self.world.client.rows("SELECT text FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL ORDER BY id")
        return [row[0] for row in rows]


@pytest.fixture
def sent(world: RefundWorld) -> _Sent:
    return _Sent(world)


@pytest.mark.parametrize("said", [("RJCT", "ACSC"), ("ACSC", "RJCT"), ("ACCC", "RJCT", "ACSP"), ("CANC", "ACSC")])
def test_a_report_that_contradicts_itself_moves_nothing(sent: _Sent, said: tuple[str, ...]) -> None:
    sent.say(*(sent.transaction(0, each) for each in said), sent.transaction(1, "ACSC"))
    assert sent.statuses() == ["IN_PROCESS", "PROCESSED"]
    assert sent.alerts() == [
        f"A status report says {next(each for each in said)} of refund {sent.names[0]} (order SO-1) and does not count:"
        " it says both that the transfer was executed and that it was not"
    ]
    sent.world.check()


@pytest.mark.parametrize("said", [("ACSP", "ACSC"), ("RVMC", "RJCT"), ("RJCT", "RJCT")])
def test_a_report_with_interim_and_final_statuses_settles(sent: _Sent, said: tuple[str, ...]) -> None:
    sent.say(*(sent.transaction(0, each) for each in said))
    assert sent.statuses() == ["PROCESSED" if "ACSC" in said else "ERROR", "IN_PROCESS"]
    assert sent.alerts() == []


@pytest.mark.parametrize("own", [True, False])
def test_a_block_per_transaction_says_nothing_of_the_others(sent: _Sent, own: bool) -> None:
    """Some banks repeat the batch's id in a block for each transaction, with the status of that transaction."""
    rows = (("ACSC", 0), ("RJCT", 1))
    blocks = [sent.block(sent.transaction(place, said), said=said if own else "") for said, place in rows]
    sent.world.report(sent.document(*blocks, group="PART"))
    assert (sent.statuses(), sent.alerts()) == (["PROCESSED", "ERROR"], [])


def test_a_block_about_one_transaction_does_not_settle_the_other(sent: _Sent) -> None:
    empty = sent.block(sent.transaction(0, "RJCT"), said="RJCT")
    sent.world.report(sent.document(sent.block(sent.transaction(0, "RJCT"), said="ACSC"), empty))
    assert sent.statuses() == ["ERROR", "IN_PROCESS"]


@pytest.mark.parametrize(
    "other", [{"amount": "29.99"}, {"amount": "3000"}, {"amount": "x"}, {"iban": "DE02120300000000202051"}]
)
@pytest.mark.parametrize("said", ["ACSC", "RJCT"])
def test_a_report_about_another_amount_or_payee_moves_nothing(sent: _Sent, said: str, other: dict[str, str]) -> None:
    sent.say(sent.transaction(0, said, **other))
    assert (sent.statuses(), len(sent.alerts())) == (["IN_PROCESS", "IN_PROCESS"], 1)


@pytest.mark.parametrize("amount", ["30.00", "30", "30.0", ""])
def test_a_report_that_repeats_amount_and_payee_settles(sent: _Sent, amount: str) -> None:
    iban = texts(sent.world.contents()[0], "CdtrAcct/Id/IBAN")[0]
    sent.say(sent.transaction(0, "ACSC", amount=amount, iban=f"{iban[:4]} {iban[4:]}"))
    assert (sent.statuses(), sent.alerts()) == (["PROCESSED", "IN_PROCESS"], [])


@pytest.mark.parametrize("name", ["", "NOTPROVIDED", "PMR0000"])
def test_a_rejection_of_an_unknown_transfer_leaves_the_rest_unsettled(sent: _Sent, name: str) -> None:
    """One of the two was rejected and the bank does not say which: "settled" of the batch may not be said of both."""
    sent.world.report(sent.document(sent.block(sent.transaction(0, "RJCT", name=name), said="ACSC")))
    assert sent.statuses() == ["IN_PROCESS", "IN_PROCESS"]
    assert sorted(text.partition(" ")[0] for text in sent.alerts()) == ["A", "A", "A"]
    sent.say(sent.transaction(0, "RJCT"), sent.transaction(1, "ACSC"))
    assert sent.statuses() == ["ERROR", "PROCESSED"]


@pytest.mark.parametrize("said", ["ACSC", "RJCT", "ACCC", "CANC"])
@pytest.mark.parametrize("lists", [True, False])
def test_a_status_of_the_file_beside_another_batch_moves_nothing(sent: _Sent, said: str, lists: bool) -> None:
    """The report has our message id and names a batch that our file does not have: it may be another file's."""
    rows = [sent.transaction(0, said)] if lists else []
    sent.world.report(sent.document(sent.block(*rows, said=said, batch="PM-ELSEWHERE"), group=said))
    assert sent.statuses() == ["IN_PROCESS", "IN_PROCESS"]
    assert [text for text in sent.alerts() if "PM-ELSEWHERE" in text] == [
        f"A status report on transfer file {sent.message} lists transfers or batches that are not in it: PM-ELSEWHERE."
        " Ask the bank"
    ]
    assert len(sent.alerts()) == 3
    sent.say(sent.transaction(0, "RJCT"), sent.transaction(1, "ACSC"))
    assert sent.statuses() == ["ERROR", "PROCESSED"]
    sent.world.check()


@pytest.mark.parametrize("batch", ["", "NOTPROVIDED", "own"])
def test_a_status_of_the_file_counts_for_a_batch_that_is_ours_or_not_named(sent: _Sent, batch: str) -> None:
    """Honest twin: banks that have no id of the batch leave it out, or write that they have none."""
    blocks = [sent.block(batch=sent.batch if batch == "own" else batch)] if batch else []
    sent.world.report(sent.document(*blocks, group="ACSC"))
    assert (sent.statuses(), sent.alerts()) == (["PROCESSED", "PROCESSED"], [])


def test_a_batch_without_an_id_says_it_of_its_own_transactions(sent: _Sent) -> None:
    rows = (sent.transaction(0, "RJCT"), sent.transaction(1, "ACSC"))
    sent.world.report(sent.document(sent.block(*rows, batch="NOTPROVIDED"), group="PART"))
    assert (sent.statuses(), sent.alerts()) == (["ERROR", "PROCESSED"], [])


def test_settled_after_rejected_holds_the_next_attempt(sent: _Sent) -> None:
    world = sent.world
    sent.say(sent.transaction(0, "RJCT"))
    world.set_iban(sent.ids[0])
    world.release(sent.ids[0])
    sent.say(sent.transaction(0, "ACSC"))
    run = world.run()
    assert (run.files, [each.reason for each in run.held]) == ((), [HoldReason.EARLIER_TRANSFER])
    assert sent.alerts()[0] == (
        f"Refund {sent.names[0]} (order SO-1) was reported as rejected, and is now reported as settled."
        " Look at the account before it is transferred again"
    )
    world.debit(3000, sent.names[0])
    world.give_back(3000, sent.names[0])
    assert len(world.run().files) == 1
    world.check()


def test_settled_after_rejected_executes_the_refund(sent: _Sent) -> None:
    sent.say(sent.transaction(0, "RJCT"))
    sent.say(sent.transaction(0, "ACSC"))
    assert (sent.statuses(), len(sent.alerts())) == (["PROCESSED", "IN_PROCESS"], 1)
    sent.world.debit(3000, sent.names[0])
    assert sent.statuses() == ["PROCESSED", "IN_PROCESS"]
    sent.world.check()


def test_rejected_after_settled_is_not_called_sent(sent: _Sent) -> None:
    world = sent.world
    sent.say(sent.transaction(0, "ACSC"), sent.transaction(1, "ACSC"))
    assert world.client.read("SO-1")["amountPaid"] == "50.00"
    sent.say(sent.transaction(0, "RJCT"))
    assert (sent.statuses(), len(sent.alerts())) == (["ERROR", "PROCESSED"], 1)
    found = world.refund(sent.ids[0])
    assert (found["bankCode"], found["executionDate"]) == ("AC04", None)
    assert world.client.read("SO-1")["amountPaid"] == "80.00"
    world.set_iban(sent.ids[0])
    assert [each.reason for each in world.run().held] == [HoldReason.SECOND_ATTEMPT]  # by a person only
    world.check()


def test_rejected_after_its_debit_was_booked_moves_nothing(sent: _Sent) -> None:
    sent.say(sent.transaction(0, "ACSC"))
    sent.world.debit(3000, sent.names[0])
    sent.say(sent.transaction(0, "RJCT"))
    assert (sent.statuses(), len(sent.alerts())) == (["PROCESSED", "IN_PROCESS"], 1)
    sent.world.check()


def test_settled_and_never_debited_raises_an_alert(sent: _Sent) -> None:
    world = sent.world
    sent.say(sent.transaction(0, "ACSC"), sent.transaction(1, "ACSC"))

    def watch() -> int:
        with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
            return watch_silence(tx)

    for _ in range(5):
        world.pass_days(1)
        world.debit(100, name="Vermieter", account="", bic="")
        assert watch() == 0
    world.pass_days(7)
    assert watch() == 0  # no statement of these days: nothing is known
    world.debit(100, name="Vermieter", account="", bic="")
    assert (watch(), watch()) == (1, 0)
    assert sent.alerts() == [
        f"The bank has reported 2 refunds in transfer file {sent.message}, to be executed on 2026-03-03, as settled,"
        " and no statement shows the debits. Ask the bank"
    ]
    for minor, name in zip((3000, 2000), sent.names, strict=True):
        world.debit(minor, name)
    assert (watch(), sent.alerts()) == (0, [])
    world.check()


def test_a_cancelled_transfer_is_free_for_another_attempt(sent: _Sent) -> None:
    sent.say(sent.transaction(0, "CANC"))
    assert (sent.statuses(), sent.alerts()) == (["ERROR", "IN_PROCESS"], [])


def test_a_settled_transfer_of_a_discarded_file_is_not_sent_again(sent: _Sent, tmp_path: Path) -> None:
    world = sent.world
    discard(world.database, world.client.shop, f"{sent.message}.xml", tmp_path, world.clock.now)
    sent.say(sent.transaction(0, "ACSC"))
    world.release(sent.ids[1])
    run = world.run()
    assert [(each.refund_id, each.reason) for each in run.held] == [(sent.ids[0], HoldReason.EARLIER_TRANSFER)]
    assert run.files[0].total_minor == 2000


@pytest.mark.parametrize(
    "namespace",
    [
        "urn:iso:std:iso:20022:tech:xsd:pain.014.001.08",
        "urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10",
        "https://bank.example/report",
    ],
)
def test_another_message_in_its_clothes_is_refused(sent: _Sent, namespace: str) -> None:
    with pytest.raises(FileRefused, match="not a payment status report"):
        sent.say(sent.transaction(0, "ACSC"), namespace=namespace)
    assert sent.statuses() == ["IN_PROCESS", "IN_PROCESS"]


@pytest.mark.parametrize(
    "namespace",
    [
        "",
        *(f"urn:iso:std:iso:20022:tech:xsd:pain.002.001.{each}" for each in ("03", "09", "10", "12", "14")),
        "urn:swift:xsd:$pain.002.001.03",
        "http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd",
    ],
)
def test_common_versions_settle(sent: _Sent, namespace: str) -> None:
    sent.say(f"<!-- EBICS -->{sent.transaction(0, 'ACSC')}", sent.transaction(1, "RJCT"), namespace=namespace)
    assert (sent.statuses(), sent.alerts()) == (["PROCESSED", "ERROR"], [])


def test_two_reports_in_one_document_are_refused(sent: _Sent) -> None:
    one = sent.document(sent.block(sent.transaction(0, "ACSC"))).decode()
    start, end = one.index("<CstmrPmtStsRpt>"), one.index("</Document>")
    with pytest.raises(FileRefused, match="several status reports in one"):
        sent.world.report((one[:end] + one[start:end].replace("ACSC", "RJCT") + one[end:]).encode())
    assert sent.statuses() == ["IN_PROCESS", "IN_PROCESS"]


def test_a_message_of_another_program_with_our_batch_settles(sent: _Sent) -> None:
    sent.world.report(sent.document(sent.block(sent.transaction(1, "RJCT")), group="ACSC", message="SENDER-1"))
    assert sent.statuses() == ["PROCESSED", "ERROR"]


def test_a_report_on_one_file_that_names_the_batch_of_another_moves_neither(sent: _Sent) -> None:
    world = sent.world
    world.paid("SO-2")
    other = world.file("SO-2", 10, plannedDate="04-03-2026")
    world.pass_days(1)
    world.run()
    second = texts(world.contents()[1], "PmtInf/PmtInfId")[0]
    world.report(sent.document(sent.block(batch=second), group="ACSC"))
    assert (sent.statuses(), world.status(other)) == (["IN_PROCESS", "IN_PROCESS"], "IN_PROCESS")
    assert len(sent.alerts()) == 3


def test_two_shops_with_one_file_move_their_own(sent: _Sent, tmp_path: Path) -> None:
    """A report of one shop's bank reaches another shop, whose transfer has the same EndToEndId."""
    other = _Sent(RefundWorld(sent.world.database, tmp_path / "other"))
    other.world.client.run(
        "UPDATE transfers SET end_to_end_id = $2 WHERE shop_id = $1 AND refund_id = $3", sent.names[0], other.ids[0]
    )
    with pytest.raises(FileRefused, match="not one of our transfer files"):
        other.world.report(sent.document(sent.block(sent.transaction(0, "ACSC"))))
    assert (sent.statuses(), other.statuses()) == (["IN_PROCESS", "IN_PROCESS"], ["IN_PROCESS", "IN_PROCESS"])
    sent.say(sent.transaction(0, "ACSC"))
    assert (sent.statuses(), other.statuses()) == (["PROCESSED", "IN_PROCESS"], ["IN_PROCESS", "IN_PROCESS"])


def test_codes_of_any_length_are_kept_short(sent: _Sent) -> None:
    sent.say(sent.transaction(0, "X" * 1_000_000))
    rows = sent.world.client.rows("SELECT length(bank_status) FROM transfers WHERE shop_id = $1 ORDER BY 1")
    assert rows == [(0,), (140,)]


def test_a_large_report_is_read_once(sent: _Sent) -> None:
    """60,000 transactions of which two are ours: each transfer of a file looks up its own, listed or not."""
    many = [sent.transaction(0, "ACSP", name=f"OTHER{place}") for place in range(60_000)]
    data = sent.document(sent.block(*many, sent.transaction(0, "ACSC"), sent.transaction(1, "ACSC")))
    answers = read_pain002(io.BytesIO(data)).of_batch(sent.batch)
    begun = time.thread_time()
    for place in range(60_000):
        name = f"OTHER{place}" if place % 2 else f"MISSING{place}"
        answers.checked(SentTransfer(name, 100, EUR, ""), lists_others=True)
    assert time.thread_time() - begun < 10
    sent.world.report(data)
    assert sent.statuses() == ["PROCESSED", "PROCESSED"]
