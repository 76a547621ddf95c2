"""Commands of payment information and reminders: the plan, who gets what, the mail that went out."""
