"""Messages about failed calls to other servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "call-answered": "receiver answered {status}",
    "call-internal": "internal error while sending",
    "call-name-none": "the name {host} has no address",
    "call-name-late": "the name {host} was not resolved in time",
    "call-name-busy": "the name {host} was not resolved: too many lookups in progress",
    "call-busy": "all connections to the receiver are in use",
    "call-refused": "receiver refused the connection",
    "call-unreachable": "receiver is not reachable",
    "call-connect-late": "receiver did not accept the connection in time",
    "call-certificate": "TLS certificate not valid: {error}",
    "call-handshake-late": "receiver did not finish the TLS handshake in time",
    "call-handshake": "TLS handshake with the receiver failed",
    "call-late": "receiver did not answer within {seconds} s",
    "call-broken": "receiver broke the connection",
    "call-closed": "receiver closed the connection without an answer",
    "call-not-http": "receiver's answer is not HTTP",
    "call-header": "header {name} not allowed",
    "call-order-gone": "the order no longer exists",
    "call-not-valid": "request not valid: {error}",
}
