"""pain.001 and pain.002 (ISO 20022): transfer files, and what the bank says of them.

Given transfers; hands bytes to `outbound/transfer_folder.py`, and what a bank reports to `usecases/refunds`.
"""
