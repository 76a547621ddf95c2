"""Commands of payment information and reminders: the plan, recipients, sent mail."""
