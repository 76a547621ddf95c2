"""Refunds: what each waits for, release, transfer files, what the bank reports."""
