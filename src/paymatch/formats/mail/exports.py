"""The mail that delivers scheduled exports: attachments, their period, and where to change the schedule."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.formats.mail.layout import Head, compose, one_line


def exports_subject(head: Head, days: str) -> str:
    """The subject as it is sent."""
    return one_line(head.spoken.gettext("%(shop)s: exports of %(days)s", shop=head.brand.name, days=days))


def write_exports_mail(head: Head, days: str, files: Sequence[str], link: str) -> bytes:
    """The message without its attachments; `link` leads to the exports, "" leaves the button out."""
    context = {"days": days, "files": list(files), "link": link}
    return compose(head, "exports", exports_subject(head, days), context, {})
