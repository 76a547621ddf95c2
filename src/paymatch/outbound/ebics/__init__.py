"""EBICS 3.0 (H005): keys, messages, uploads and downloads. Knows neither the database nor the merchant area.

`client.py` is the way in. Sources: EBICS 3.0.2 with its schemas and annexes (return codes, order types), as the
German Banking Industry Committee and EBICS SCRL publish them.
"""
