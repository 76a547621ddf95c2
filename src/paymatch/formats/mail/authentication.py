"""The sender of a mail, as far as the mailbox's own host vouches for it: Authentication-Results (RFC 8601)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.message import Message
from enum import StrEnum
from typing import Final

from paymatch.formats.mail.layout import one_line

_ADDRESS: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,255}"
_FROM: Final = re.compile(rf'(?:(?:"[^"\\]*"\s*|[^<>@,;:()"\\]*)<({_ADDRESS})>|({_ADDRESS}))')
_MOST_READ: Final = 20_000
_LENGTH_TAG: Final = re.compile(r"(?:^|;)\s*l\s*=")
_DOMAIN_TAG: Final = re.compile(r"(?:^|;)\s*d\s*=\s*([^\s;]+)")


class SenderProof(StrEnum):
    """The mailbox host's proof that a mail is from the domain of its sender."""

    NONE = ""
    DKIM = "dkim"
    SPF = "spf"


def sender_of(message: Message) -> str:
    """The address in From, in lower case; "" unless there is exactly one that reads in one way only."""
    fields = message.get_all("From") or []
    found = _FROM.fullmatch(one_line(str(fields[0])).strip()) if len(fields) == 1 else None
    return (found[1] or found[2]).lower() if found is not None else ""


def proof_of_sender(message: Message, host: str) -> SenderProof:
    """The proof of the address in From by `host`, the mailbox's own server; NONE if there is none.

    Anyone can write such a header: only the topmost one counts, and only if it names the host. The domain that was
    proved must be the sender's own, exactly. A DKIM signature of only the beginning of a mail proves no attachment.
    """
    domain = sender_of(message).rpartition("@")[2]
    fields = message.get_all("Authentication-Results") or []
    if not domain or not host or not fields:
        return SenderProof.NONE
    stated = _without_comments(one_line(str(fields[0])))
    if stated is None:
        return SenderProof.NONE
    server, *results = stated.split(";")
    if (server.split() or [""])[0].lower() != host.lower():
        return SenderProof.NONE
    proofs = {proof for proof, proved in map(_proof_of, results) if proved == domain}
    if SenderProof.DKIM in proofs and not _is_signed_in_part(message, domain):
        return SenderProof.DKIM
    return SenderProof.SPF if SenderProof.SPF in proofs else SenderProof.NONE


def _proof_of(result: str) -> tuple[SenderProof, str]:
    """(method, domain that it proves) of one result; NONE if it proves none."""
    method, *parts = "=".join(map(str.strip, result.split("="))).lower().split() or [""]
    properties = dict[str, str]()
    for each in parts:
        name, _, value = each.partition("=")
        if name in properties:  # a value that was written to look like a property
            return SenderProof.NONE, ""
        properties[name] = value
    if method == "dkim=pass":
        return SenderProof.DKIM, _domain_in(properties, "header.d", "header.i")
    if method == "spf=pass":
        return SenderProof.SPF, _domain_in(properties, "smtp.mailfrom")
    return SenderProof.NONE, ""


def _domain_in(properties: Mapping[str, str], *names: str) -> str:
    return next((properties[each].rpartition("@")[2] for each in names if each in properties), "")


def _is_signed_in_part(message: Message, domain: str) -> bool:
    """True if a signature of the domain leaves room for what others append (RFC 6376, 8.2)."""
    for field in message.get_all("DKIM-Signature") or []:
        tags = one_line(str(field)).lower()
        named = _DOMAIN_TAG.search(tags)
        if named is not None and named[1] == domain and _LENGTH_TAG.search(tags):
            return True
    return False


def _without_comments(text: str) -> str | None:
    """The header without comments, each quoted string as `?`; None if one does not end.

    Senders choose what hosts write there: `"a;dkim=pass header.d=bank.example"@evil.example` is one address.
    """
    if len(text) > _MOST_READ:
        return None
    kept: list[str] = []
    depth, is_quoted, is_escaped = 0, False, False
    for char in text:
        if is_escaped:
            is_escaped = False
        elif char == "\\" and (depth or is_quoted):
            is_escaped = True
        elif is_quoted:
            is_quoted = char != '"'
        elif char in "()":
            depth += 1 if char == "(" else -1
            kept.append(" ")
        elif depth == 0:
            is_quoted = char == '"'
            kept.append("?" if is_quoted else char)
        if depth < 0:
            return None
    return None if depth or is_quoted else "".join(kept)
