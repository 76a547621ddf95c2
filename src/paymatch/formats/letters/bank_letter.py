"""The initialisation letter of an EBICS user: fingerprints of the public keys on paper, for the bank to compare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, Final

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.documents.typesetting import pdf_of

LANGUAGES: Final = ("de", "en", "fr")
_PAIRS_PER_LINE: Final = 16


class LanguageUnknown(Refused):
    """There is no letter in this language."""


@dataclass(frozen=True, slots=True)
class BankLetter:
    """What the letter says. Fingerprints are SHA-256 of the certificates, in hexadecimal pairs."""

    bank: str
    holder: str
    host_id: str
    partner_id: str
    user_id: str
    day: date
    signature: str
    authentication: str
    encryption: str


def bank_letter_pdf(letter: BankLetter, language: str) -> bytes:
    """The letter as PDF: a sheet for INI, a sheet for HIA, each to be signed. LanguageUnknown."""
    if language not in LANGUAGES:
        raise LanguageUnknown(Message("letter-language", languages=", ".join(LANGUAGES)))
    return pdf_of(_template(), {"letter": json.dumps(_values(letter, language), ensure_ascii=False)})


@cache
def _template() -> bytes:
    return (resources.files("paymatch.formats.letters") / "bank_letter.typ").read_bytes()


def _values(letter: BankLetter, language: str) -> dict[str, Any]:
    words = _WORDS[language]
    facts = [
        (words["bank"], letter.bank), (words["holder"], letter.holder), (words["host"], letter.host_id),
        (words["partner"], letter.partner_id), (words["user"], letter.user_id),
        (words["day"], letter.day.strftime(words["day_format"])),
    ]  # fmt: skip
    first = _sheet(words, "INI", facts, [("A006", "sign", letter.signature)])
    others = [("X002", "authenticate", letter.authentication), ("E002", "encrypt", letter.encryption)]
    return {
        "language": language, "title": words["title"], "sheets": [first, _sheet(words, "HIA", facts, others)],
        "confirmation": words["confirmation"], "place_and_date": words["place"], "signature": words["signature"],
        "footer": f"EBICS 3.0 (H005) · {letter.host_id} · {letter.partner_id} · {letter.user_id}",
    }  # fmt: skip


def _sheet(
    words: Mapping[str, str], order: str, facts: Sequence[tuple[str, str]], keys: Sequence[tuple[str, str, str]]
) -> dict[str, Any]:
    return {
        "title": f"{words['title']} ({order})", "intro": words["intro"], "facts": list(facts),
        "keys": [
            {"title": f"{words[use]} ({version})", "words": words["print"], "lines": _lines(fingerprint)}
            for version, use, fingerprint in keys
        ],
    }  # fmt: skip


def _lines(fingerprint: str) -> list[str]:
    pairs = fingerprint.split()
    return [" ".join(pairs[start : start + _PAIRS_PER_LINE]) for start in range(0, len(pairs), _PAIRS_PER_LINE)]


_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "de": {
        "title": "Initialisierungsbrief", "bank": "Bank", "holder": "Kunde", "host": "Host-ID", "partner": "Kunden-ID",
        "user": "Teilnehmer-ID", "day": "Datum", "day_format": "%d.%m.%Y",
        "intro": "Die folgenden öffentlichen Schlüssel wurden der Bank elektronisch übermittelt (EBICS 3.0).",
        "sign": "Bankfachliche Signatur", "authenticate": "Authentifikationssignatur", "encrypt": "Verschlüsselung",
        "print": "Hashwert des Zertifikats (SHA-256)",
        "confirmation": (
            "Ich bestätige hiermit die obigen öffentlichen Schlüssel für meine EBICS-Zugänge. Bitte vergleichen Sie die"
            " Hashwerte mit den übermittelten Schlüsseln und schalten Sie den Teilnehmer frei."
        ),
        "place": "Ort, Datum", "signature": "Unterschrift",
    },
    "en": {
        "title": "Initialisation letter", "bank": "Bank", "holder": "Customer", "host": "Host ID",
        "partner": "Customer ID", "user": "User ID", "day": "Date", "day_format": "%Y-%m-%d",
        "intro": "The following public keys have been sent to the bank electronically (EBICS 3.0).",
        "sign": "Electronic signature", "authenticate": "Authentication signature", "encrypt": "Encryption",
        "print": "Hash value of the certificate (SHA-256)",
        "confirmation": (
            "I hereby confirm the above public keys for my EBICS access. Please compare the hash values with the keys"
            " that you received, and activate the user."
        ),
        "place": "Place, date", "signature": "Signature",
    },
    "fr": {
        "title": "Lettre d'initialisation", "bank": "Banque", "holder": "Client", "host": "Identifiant du serveur",
        "partner": "Identifiant du client", "user": "Identifiant de l'utilisateur", "day": "Date",
        "day_format": "%d/%m/%Y",
        "intro": "Les clés publiques suivantes ont été transmises à la banque par voie électronique (EBICS 3.0).",
        "sign": "Signature électronique", "authenticate": "Signature d'authentification", "encrypt": "Chiffrement",
        "print": "Empreinte du certificat (SHA-256)",
        "confirmation": (
            "Je confirme par la présente les clés publiques ci-dessus pour mon accès EBICS. Veuillez comparer les"
            " empreintes avec les clés reçues et activer l'utilisateur."
        ),
        "place": "Lieu, date", "signature": "Signature",
    },
}  # fmt: skip
