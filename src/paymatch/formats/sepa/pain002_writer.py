"""Writes pain.002 as a bank would: what it says of the transfers of one file. For the sandbox bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape


@dataclass(frozen=True, slots=True)
class AnsweredTransfer:
    """What the bank says of one transfer."""

    end_to_end_id: str
    status: str  # RJCT, ACSP ...
    reason: str = ""  # ISO code, AC04 for example


def write_pain002(
    message_id: str,
    created_at: datetime,
    *,
    original_message_id: str,
    original_version: str,
    payment_information_id: str,
    answers: Sequence[AnsweredTransfer],
) -> bytes:
    """A status report (pain.002.001.10) on the one batch of a transfer file."""
    body = "".join(map(_transfer, answers))
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">'
        f"<CstmrPmtStsRpt><GrpHdr><MsgId>{escape(message_id)}</MsgId>"
        f"<CreDtTm>{created_at.isoformat(timespec='seconds')}</CreDtTm></GrpHdr>"
        f"<OrgnlGrpInfAndSts><OrgnlMsgId>{escape(original_message_id)}</OrgnlMsgId>"
        f"<OrgnlMsgNmId>{escape(original_version)}</OrgnlMsgNmId></OrgnlGrpInfAndSts>"
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>{escape(payment_information_id)}</OrgnlPmtInfId>{body}"
        "</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>\n"
    )
    return text.encode()


def _transfer(answer: AnsweredTransfer) -> str:
    reason = f"<StsRsnInf><Rsn><Cd>{escape(answer.reason)}</Cd></Rsn></StsRsnInf>" if answer.reason else ""
    name = escape(answer.end_to_end_id)
    return f"<TxInfAndSts><OrgnlEndToEndId>{name}</OrgnlEndToEndId><TxSts>{answer.status}</TxSts>{reason}</TxInfAndSts>"
