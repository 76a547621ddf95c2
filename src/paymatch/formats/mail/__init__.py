"""Mails to customers: texts per language, and the message made of them (RFC 5322).

Given what a customer should be told; hands bytes to `outbound/mail/`.
"""
