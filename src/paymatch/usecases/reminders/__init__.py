"""Payment information and reminders: claim what is due, decide, send, record (D-33).

Given due orders; hands messages to `outbound/mail/`.
"""
