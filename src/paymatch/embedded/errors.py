"""Errors of the embedded server, in words for the operator."""

from paymatch.domain.refusal import Refused


class EmbeddedServerError(Refused):
    """The embedded PostgreSQL cannot be started, joined or stopped; the text says what to do."""
