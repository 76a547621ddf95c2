"""Mails to customers: texts per language, and the message made of them (RFC 5322).

Given the content for a customer; hands bytes to `outbound/mail/`.
"""
