"""Account information by providers that may ask banks (PSD2), for shops whose bank has no EBICS (D-130).

`provider.py` is what a provider can do; each provider is one module that says it in its own API's words.
"""
