"""A posting as the JSON that is stored: what the bank said of it, with the other side's account sealed (D-44)."""

from __future__ import annotations

from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any, Final, get_type_hints

import msgspec

from paymatch.domain.postings import Posting
from paymatch.domain.words.message import as_text
from paymatch.store.sealing import MARK, POSTING_PARTY, Vault

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_ACCOUNT: Final = '"counterparty_iban":'
_SEALED: Final = f'{_ACCOUNT}"{MARK}'
"""Outside of the JSON's texts only, where quotation marks are escaped."""
_VALUES: Final = attrgetter(*(f.name for f in fields(Posting)))
_TYPES: Final = get_type_hints(Posting)
_STRUCT: Final = msgspec.defstruct(
    "Facts",
    [(f.name, _TYPES[f.name], msgspec.NODEFAULT if f.default is MISSING else f.default) for f in fields(Posting)],
    omit_defaults=True,
)
"""A posting as msgspec decodes it in a quarter of the time that a dataclass takes; what is not said is left out."""
_DECODE: Final = msgspec.json.Decoder(_STRUCT).decode


def to_facts(posting: Posting) -> str:
    """The posting as JSON without what the bank did not say."""
    return _ENCODE(_STRUCT(*_VALUES(posting))).decode()


def from_facts(text: str) -> Posting:
    """The posting of `to_facts`."""
    return Posting(*_VALUES(_DECODE(text)))


def _quote(text: str) -> str:
    return _ENCODE(text).decode()


def sealed_facts(posting: Posting, vault: Vault) -> str:
    """The posting as JSON in which the other side's account is sealed."""
    said: Any = _STRUCT(*_VALUES(posting))
    if posting.counterparty_iban:
        said.counterparty_iban = vault.seal(POSTING_PARTY, posting.counterparty_iban)
    return _ENCODE(said).decode()


def opened_facts(text: str, vault: Vault) -> Posting:
    """The posting of `sealed_facts`, or of `to_facts` from before sealing."""
    begin = text.find(_SEALED)
    if begin >= 0:
        begin += len(_ACCOUNT)
        end = text.index('"', begin + 1) + 1  # a sealed value holds no quotation mark
        text = text[:begin] + _quote(vault.open(POSTING_PARTY, text[begin + 1 : end - 1])) + text[end:]
    return from_facts(text)
