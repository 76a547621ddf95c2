"""All sentences of paymatch in English, by subject and code; `english.py` collects them."""
