"""The cryptography under sealing: keys derived from one secret. Nothing here knows of tables or shops."""

from __future__ import annotations

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def derive(secret: str, purpose: str) -> bytes:
    """32 bytes for one purpose (HKDF-SHA-256, RFC 5869); who knows them learns nothing of the secret or its others."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"paymatch {purpose}".encode()).derive(secret.encode())
