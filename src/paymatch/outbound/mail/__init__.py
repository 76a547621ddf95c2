"""Mail going out by SMTP, by a provider or into a folder, and the mailbox to which it bounces."""
