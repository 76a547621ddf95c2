"""The mail that shows a shop how its mail arrives."""

from __future__ import annotations

from paymatch.formats.mail.layout import Head, compose, one_line


def trial_subject(head: Head) -> str:
    """The subject as it is sent."""
    return one_line(head.spoken.gettext("Test mail from %(shop)s", shop=head.brand.name))


def write_trial_mail(head: Head) -> bytes:
    """The message as it is sent; the same head gives the same bytes."""
    return compose(head, "trial", trial_subject(head), {}, {})
