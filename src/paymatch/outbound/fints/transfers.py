"""A transfer file on its way by FinTS (HKCCS, HKCCM, HKIPZ, HKIPM), with the bank's payee check before it (HKVPP).

The library knows the check of a single transfer only, so this works one level below: a report on several transfers is
read, a result that the bank still works on is waited for, and a person sees every answer that is not a full match.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.bank_feeds.fints import SendPhase
from paymatch.domain.refunds.payee_check import PayeeAnswer, PayeeMatch, match_of
from paymatch.domain.words.message import Message
from paymatch.formats.sepa.pain002 import BatchAnswers, StatusReport, read_pain002
from paymatch.formats.statement import FileRefused
from paymatch.outbound.fints.access import BankRefused, FintsOrderRefused
from paymatch.outbound.fints.session import FintsSession

_EXECUTION_DAY: Final = re.compile(rb"(<ReqdExctnDt>\s*(?:<Dt>\s*)?)\d{4}-\d\d-\d\d")
_AT_ONCE: Final = rb"\g<1>1999-01-01"
_PAYEE_CHECKS_AT_MOST: Final = 40
_MAX_WAIT_SECONDS: Final = 9
_REPORT: Final = "pain.002"
_EXECUTED: Final = "0020"
_CONFIRM_FIRST: Final = "3945"  # not released before the result of the payee check is confirmed


@dataclass(frozen=True, slots=True)
class FintsTransfer:
    """One transfer of a file."""

    end_to_end_id: str
    iban: str
    name: str


@dataclass(frozen=True, slots=True)
class FintsOrder:
    """A transfer file in euro. `version` is the name of its format, `total_minor` the sum in cents."""

    account: str
    payment_information_id: str
    content: bytes
    version: str
    transfers: tuple[FintsTransfer, ...]
    total_minor: int
    instant: bool = False


class FintsSender:
    """Sends one file once.

    `keep` records a phase before the message that follows from it; `accept` shows a person the bank's answers on the
    payees with its notice, and says whether the file goes on.
    """

    def __init__(
        self,
        session: FintsSession,
        order: FintsOrder,
        keep: Callable[[SendPhase], None],
        accept: Callable[[Sequence[PayeeAnswer], str], bool],
    ) -> None:
        self._session = session
        self._order = order
        self._keep = keep
        self._accept = accept

    def send(self) -> str:
        """The bank's answer to the order. FintsOrderRefused if it certainly does not execute it; BankRefused."""
        with self._session.open_dialogue() as client:
            account = self._session.account(client, self._order.account)
            command = self._command(client, account)
            check = _payee_check(client, command)
            self._session.ours(self._keep, SendPhase.SENT)
            response, asked = self._submit(client, check, command)
            answer = self._payee_answer(client, response, check)
            if answer is not None and self._waits_for_word(response, command, answer):
                response, asked = self._go_on_after_check(client, command, answer)
            return self._finish(client, command, response, asked, answer)

    def _command(self, client: Any, account: Any) -> Any:
        from fints.exceptions import FinTSUnsupportedOperation  # noqa: PLC0415
        from fints.segments.transfer import HKCCM1, HKCCS1, HKIPM1, HKIPZ1  # noqa: PLC0415

        several = len(self._order.transfers) > 1
        kind = (HKIPM1 if several else HKIPZ1) if self._order.instant else (HKCCM1 if several else HKCCS1)
        try:
            command = client._find_highest_supported_command(kind)
        except FinTSUnsupportedOperation:
            raise BankRefused(Message("fints-no-transfers", order=kind.TYPE)) from None
        order = command(
            account=command._fields["account"].type.from_sepa_account(account),
            sepa_descriptor=_descriptor(client, self._order.version),
            # Transfers that are executed at once carry this day (FinTS, Messages, SEPA-Einzelüberweisung).
            sepa_pain_message=_EXECUTION_DAY.sub(_AT_ONCE, self._order.content),
        )
        if several:
            order.sum_amount.amount = Decimal(self._order.total_minor).scaleb(-2)
            order.sum_amount.currency = "EUR"
            order.request_single_booking = False
        return order

    def _submit(self, client: Any, before: Sequence[Any], command: Any) -> tuple[Any, Any]:
        """The bank's answer to the order, and its request for a TAN; None if it wants none. FintsOrderRefused."""
        needs_tan = client._need_twostep_tan_for_segment(command)
        tan = client._get_tan_segment(command, "4") if needs_tan else None
        with client._get_dialog() as dialog:
            response = dialog.send(*before, command, *([tan] if tan is not None else []))
        self._session.check_refusals()
        codes = {each.code for each in response.responses(tan)} if tan is not None else set()
        challenge = response.find_segment_first("HITAN") if codes & {"0030", "3955"} else None
        if challenge is None:
            return response, None
        return response, (challenge, "3955" in codes)

    def _payee_answer(self, client: Any, response: Any, check: Sequence[Any]) -> Any:
        """The bank's result of the payee check, waited for while it works on it; None if no check was asked for."""
        if not check:
            return None
        found = response.find_segment_first("HIVPP")
        for _ in range(_PAYEE_CHECKS_AT_MOST):
            if found is None:
                raise BankRefused(Message("fints-no-payee-answer"))
            if not _is_pending(found):
                return found
            self._session.ours(self._keep, SendPhase.ASKED)
            time.sleep(min(int(found.wait_for_seconds or 1), _MAX_WAIT_SECONDS))
            again = type(check[0])(supported_reports=check[0].supported_reports, polling_id=found.polling_id)
            with client._get_dialog() as dialog:
                found = dialog.send(again).find_segment_first("HIVPP")
            self._session.check_refusals()
        raise BankRefused(Message("fints-no-payee-answer"))

    def _waits_for_word(self, response: Any, command: Any, answer: Any) -> bool:
        """Whether the bank waits until its result was seen. What it executed is not sent again."""
        if any(each.code == _EXECUTED for each in response.responses(command)):
            return False
        if answer is not response.find_segment_first("HIVPP"):  # its result came later than its answer to the order
            return True
        codes = {each.code for segment in response.find_segments("HIRMS") for each in segment.responses}
        return _CONFIRM_FIRST in codes or any(each.match is not PayeeMatch.MATCH for each in self._answers(answer))

    def _go_on_after_check(self, client: Any, command: Any, found: Any) -> tuple[Any, Any]:
        """Sends the order again, with the result's number: a person has accepted what is not a full match."""
        from fints.segments.auth import HKVPA1  # noqa: PLC0415

        self._session.ours(self._keep, SendPhase.ASKED)
        answers = self._answers(found)
        if any(each.match is not PayeeMatch.MATCH for each in answers):
            notice = self._session.without_pin(str(found.manual_authorization_notice or ""))[:2000]
            if not self._session.ours(self._accept, answers, notice):
                raise FintsOrderRefused(Message("fints-payees-refused"))
        self._session.ours(self._keep, SendPhase.SENT)
        return self._submit(client, [HKVPA1(vop_id=found.vop_id)], command)

    def _finish(self, client: Any, command: Any, response: Any, asked: Any, answer: Any) -> str:
        from fints.client import NeedTANResponse  # noqa: PLC0415

        result = client._continue_sepa_transfer(command, response)
        if asked is not None:
            challenge, decoupled = asked
            # Approval in an app may come after this dialogue has ended: then only the bank knows.
            if not decoupled:
                self._session.ours(self._keep, SendPhase.ASKED)
            checked = answer if answer is not None and _single(answer) else None
            need = NeedTANResponse(
                command, challenge, client._continue_sepa_transfer, client.is_challenge_structured(), decoupled, checked
            )
            result = self._await_approval(client, need)
        said = self._session.without_pin("; ".join(f"{each.code} {each.text}" for each in result.responses))[:300]
        if not any(each.code[:1] in ("0", "3") for each in result.responses):
            raise BankRefused(Message("fints-not-executed", said=said or "-"))
        return said

    def _await_approval(self, client: Any, need: Any) -> Any:
        """The bank's word once it has the TAN. What was refused in an app may be approved there later: BankRefused."""
        try:
            return self._session.answer_tans(client, need, lambda: self._keep(SendPhase.SENT))
        except FintsOrderRefused as refused:
            if need.decoupled:
                raise BankRefused(refused.message) from None
            raise

    def _answers(self, found: Any) -> list[PayeeAnswer]:
        """What the bank says of each payee; the name that it does not speak of is one that it could not check."""
        transfers = self._order.transfers
        if found.payment_status_report:
            report = _report(bytes(found.payment_status_report))
            answers = report.of_batch(self._order.payment_information_id)
            return [_of_report(answers, each) for each in transfers]
        single = found.vop_single_result
        match = match_of(str(single.result))
        named, why = str(single.close_match_name or ""), str(single.na_reason or "")
        return [PayeeAnswer(each.iban, each.name, match, named[:140], why[:256]) for each in transfers]


def _single(found: Any) -> str:
    """The result of a single transfer; "" if the bank gave a report or none."""
    return str(getattr(found.vop_single_result, "result", None) or "") if found.vop_single_result else ""


def _is_pending(found: Any) -> bool:
    return not found.payment_status_report and _single(found) in ("", "PDNG")


def _payee_check(client: Any, command: Any) -> list[Any]:
    """The order of a payee check, where the bank wants one before such transfers."""
    from fints.segments.auth import HKVPP1, PSRD1  # noqa: PLC0415

    offer = client.bpd.find_segment_first("HIVPPS")
    if offer is None or str(command.header.type) not in _texts(offer.parameter.payment_order_segment):
        return []
    formats = [each for each in re.split(r"[;,\s]+", str(offer.parameter.supported_report_formats or "")) if each]
    wanted = [each for each in formats if _REPORT in each] or formats
    return [HKVPP1(supported_reports=PSRD1(psrd=wanted[:1]))]


def _texts(found: Any) -> list[str]:
    return [found] if isinstance(found, str) else [str(each) for each in found or ()]


def _descriptor(client: Any, version: str) -> str:
    """The bank's own name for the format; BankRefused if it names others only."""
    offer = client.bpd.find_segment_first("HISPAS")
    offered = [str(each) for each in offer.parameter.supported_sepa_formats] if offer is not None else []
    if not offered:
        return f"urn:iso:std:iso:20022:tech:xsd:{version}"
    found = next((each for each in offered if version in each), "")
    if not found:
        names = ", ".join(sorted({each.rsplit(":", 1)[-1] for each in offered}))[:300]
        raise BankRefused(Message("fints-other-version", version=version, offered=names))
    return found


def _report(content: bytes) -> StatusReport:
    try:
        return read_pain002(io.BytesIO(content))
    except FileRefused:
        raise BankRefused(Message("fints-no-payee-answer")) from None


def _of_report(answers: BatchAnswers, transfer: FintsTransfer) -> PayeeAnswer:
    """What the report says of one payee; two different answers are none."""
    answer = answers.answer(transfer.end_to_end_id)
    match = match_of(answer.status) if answer.doubt is None else PayeeMatch.NOT_POSSIBLE
    named = answer.known_payee if match is PayeeMatch.CLOSE and answer.known_payee != transfer.name else ""
    return PayeeAnswer(transfer.iban, transfer.name, match, named, " ".join(each.text for each in answer.reasons)[:256])
