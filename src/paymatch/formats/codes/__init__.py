"""Payment codes: EPC069-12, the Swiss QR-bill, and the codes of CZ, HR, RS, SI and SK.

Given account, amount and reference; hands text and pictures to `usecases/orders/images.py`.
"""
