"""Account information by providers that may ask banks (PSD2), for shops whose bank has no EBICS (D-130).

`provider.py` is the interface; each provider is one module that implements it with its own API.
"""
