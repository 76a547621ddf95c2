"""Letters: ordered with the decision, written, printed or handed to a provider, recorded (D-52).

Given due orders, invoices and refunds; hands PDF files to printers and to `outbound/letters.py`.
"""
