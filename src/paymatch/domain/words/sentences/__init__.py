"""The sentences that paymatch says, in English, by subject and code; `english.py` holds them all."""
