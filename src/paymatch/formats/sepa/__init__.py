"""pain.001 and pain.002 (ISO 20022): transfer files, and the bank's reports on them.

Given transfers; hands bytes to `outbound/transfer_folder.py`, and a bank's reports to `usecases/refunds`.
"""
