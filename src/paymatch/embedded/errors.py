"""What can be wrong with the embedded server, in words for the operator."""


class EmbeddedServerError(Exception):
    """The embedded PostgreSQL cannot be started, joined or stopped; the text says what to do."""
