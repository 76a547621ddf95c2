"""Reminders and mail: planned mails and reasons against them, sent mails, the plan, the words."""
