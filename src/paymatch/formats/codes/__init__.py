"""Payment codes: EPC069-12 and the Swiss QR-bill.

Given account, amount and reference; hands text and pictures to `usecases/orders/images.py`.
"""
