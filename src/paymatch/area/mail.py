"""Mail of the area (invitations, password resets) leaves by the same door as all mail."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from paymatch.area.service import the_service
from paymatch.outbound.mail.opening import open_mail
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail

_FOLDER = "area"
"""Where mail is kept that no server sends: the place of a shop's id."""


class DoorBackend(BaseEmailBackend):
    """Hands Django's messages to the service's mail door."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        door = open_mail(the_service().settings)
        try:
            return sum(self._send(door, message) for message in email_messages)
        finally:
            door.close()

    def _send(self, door: MailDoor, message: EmailMessage) -> bool:
        content = message.message().as_bytes()
        try:
            for recipient in message.recipients():
                door.send(OutgoingMail(_FOLDER, uuid4().hex, message.from_email, recipient, content))
        except MailNotSent:
            if not self.fail_silently:
                raise
            return False
        return True
