"""The three key pairs of a subscriber, the bank's two public keys, and the fingerprints that people compare."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

KEY_BITS: Final = 3072
MIN_KEY_BITS: Final = 2048  # EBICS 3.0, annex "key lengths"
_VALID: Final = timedelta(days=3650)


class KeyUse(StrEnum):
    """What a key is for, by its version in EBICS."""

    SIGNATURE = "A006"
    AUTHENTICATION = "X002"
    ENCRYPTION = "E002"


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A private key and the certificate that carries its public half; EBICS 3.0 exchanges certificates only."""

    private: rsa.RSAPrivateKey
    certificate: x509.Certificate


@dataclass(frozen=True, slots=True)
class SubscriberKeys:
    """The keys that identify a subscriber to the bank."""

    signature: OwnKey
    authentication: OwnKey
    encryption: OwnKey

    @classmethod
    def generate(cls, name: str, now: datetime, bits: int = KEY_BITS) -> Self:
        """Three new pairs with self-signed certificates that name the subscriber."""
        return cls(*(_generate(use, name, now, bits) for use in KeyUse))

    def of(self, use: KeyUse) -> OwnKey:
        """The key for a use."""
        match use:
            case KeyUse.SIGNATURE:
                return self.signature
            case KeyUse.AUTHENTICATION:
                return self.authentication
            case KeyUse.ENCRYPTION:
                return self.encryption

    def to_text(self) -> str:
        """All three as text, private halves included: it is sealed before it is stored."""
        return json.dumps({use: _to_pem(self.of(use)) for use in KeyUse})

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The keys that `to_text` wrote."""
        read = json.loads(text)
        return cls(*(_from_pem(read[use]) for use in KeyUse))


@dataclass(frozen=True, slots=True)
class BankKeys:
    """The public keys of a bank: X002 proves its answers, E002 encrypts what only it may read."""

    authentication: x509.Certificate
    encryption: x509.Certificate

    def to_text(self) -> str:
        """Both certificates as text."""
        return "".join(_pem(each) for each in (self.authentication, self.encryption))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The keys that `to_text` wrote."""
        authentication, encryption = x509.load_pem_x509_certificates(text.encode())
        return cls(authentication, encryption)

    @property
    def fingerprints(self) -> dict[KeyUse, str]:
        """What a person compares with the bank's letter or website, for both keys."""
        return {
            KeyUse.AUTHENTICATION: fingerprint(self.authentication),
            KeyUse.ENCRYPTION: fingerprint(self.encryption),
        }


def public_key(certificate: x509.Certificate) -> rsa.RSAPublicKey:
    """The certificate's key. ValueError if it is not an RSA key of at least 2048 bits."""
    key = certificate.public_key()
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < MIN_KEY_BITS:
        raise ValueError(f"not an RSA key of {MIN_KEY_BITS} bits or more")
    return key


def certificate_digest(certificate: x509.Certificate) -> bytes:
    """SHA-256 over the certificate in DER: how EBICS 3.0 names a key in a message."""
    return certificate.fingerprint(SHA256())


def fingerprint(certificate: x509.Certificate) -> str:
    """`certificate_digest` in hexadecimal pairs, as the letters of banks print it."""
    return in_pairs(certificate_digest(certificate))


def key_fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 over exponent and modulus as EBICS 2.5 hashes them; some banks still print it."""
    numbers = public_key(certificate).public_numbers()
    return in_pairs(hashlib.sha256(f"{numbers.e:x} {numbers.n:x}".encode()).digest())


def in_pairs(digest: bytes) -> str:
    """Bytes in hexadecimal, in pairs."""
    return digest.hex(" ").upper()


def same_fingerprint(typed: str, certificate: x509.Certificate) -> bool:
    """Whether what a person typed or pasted is a fingerprint of the certificate; case and gaps do not count."""
    plain = "".join(typed.replace(":", "").split()).upper()
    return plain in {print_.replace(" ", "") for print_ in (fingerprint(certificate), key_fingerprint(certificate))}


def _generate(use: KeyUse, name: str, now: datetime, bits: int) -> OwnKey:
    private = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{name} {use}"[:64])])
    usage = x509.KeyUsage(
        digital_signature=use is KeyUse.AUTHENTICATION, content_commitment=use is KeyUse.SIGNATURE,
        key_encipherment=use is KeyUse.ENCRYPTION, data_encipherment=False, key_agreement=False, key_cert_sign=False,
        crl_sign=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    certificate = (
        x509.CertificateBuilder(subject, subject, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _VALID)
        .add_extension(usage, critical=True)
        .sign(private, SHA256())
    )
    return OwnKey(private, certificate)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _to_pem(key: OwnKey) -> str:
    private = key.private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private.decode() + _pem(key.certificate)


def _from_pem(text: str) -> OwnKey:
    # What `to_text` wrote comes back from its seal as it was: to prove its primes again would take most of a dialogue.
    private = serialization.load_pem_private_key(text.encode(), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(private, rsa.RSAPrivateKey), "only RSA keys are generated"
    return OwnKey(private, x509.load_pem_x509_certificate(text.encode()))
