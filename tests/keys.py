"""The secret key of the tests, so that what they store is sealed as in the service."""

from __future__ import annotations

from paymatch.store.sealing import Keyring

SECRET_KEY = "a key for tests that is long enough to be one"
KEYRING = Keyring([SECRET_KEY])
