"""Reminders and mail: what goes out and why not, what went out, the plan, the words."""
