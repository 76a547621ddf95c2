"""The client of the paymatch API: `Client`, `AsyncClient`, their errors, and `verify_callback` for receivers."""

from __future__ import annotations

from paymatch_client.callbacks import CallbackRefused, PaymentStatusChanged, verify_callback
from paymatch_client.client import AsyncClient, Client
from paymatch_client.connections import Retries
from paymatch_client.errors import AnswerUnreadable, ApiError, NotAuthorized, NotFound, Refused, Unavailable
from paymatch_client.requests import File

__version__ = "0.1.0"

__all__ = [
    "AnswerUnreadable",
    "ApiError",
    "AsyncClient",
    "CallbackRefused",
    "Client",
    "File",
    "NotAuthorized",
    "NotFound",
    "PaymentStatusChanged",
    "Refused",
    "Retries",
    "Unavailable",
    "verify_callback",
]
