"""Letters: order, writing, printing or handover to a provider, record (D-52).

Given due orders, invoices and refunds; hands PDF files to printers and to `outbound/letters.py`.
"""
