"""The mail gateway that the operator has chosen: a mail server, a provider, or a folder."""

from __future__ import annotations

from paymatch.outbound.mail.folder import FolderDoor
from paymatch.outbound.mail.outgoing import RoutedDoor
from paymatch.outbound.mail.smtp import SmtpDoor, mail_server
from paymatch.settings import Settings


def open_mail(settings: Settings) -> RoutedDoor:
    """The operator's mail server or provider, or the folder `mail` in the data directory. MailUrlRefused."""
    if settings.email_url is not None:
        url = settings.email_url.get_secret_value()
        if not url.startswith("anymail://"):
            return SmtpDoor(mail_server(url))
        from paymatch.outbound.mail.provider import ProviderDoor, provider_of  # noqa: PLC0415  Django, for it alone

        return ProviderDoor(provider_of(url))
    return FolderDoor(settings.kept_mail())
