"""People with a new right to release refunds wait for a day, and the owners get a mail about it (D-58)."""

from __future__ import annotations

import structlog
from django.utils import timezone, translation

from paymatch.area.language.sentences import in_words
from paymatch.area.mail import ServiceMail, send_service_mail
from paymatch.area.people.models import Membership, User
from paymatch.area.people.roles import Permission, TeamRole, may
from paymatch.area.service import the_service
from paymatch.domain.shops.cooling_off import CoolingChange, CoolingKind, cooling_message
from paymatch.domain.shops.shop import Shop
from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.store.database import Database
from paymatch.usecases.shops import cooling_off, shops

_log = structlog.get_logger("paymatch.area")


def gains_role(shop: Shop, person: str, role: TeamRole, before: TeamRole | None, by: Database) -> None:
    """Makes the person's releases count a day from now, if they could not release before."""
    if may(role, Permission.REFUND) and (before is None or not may(before, Permission.REFUND)):
        _gains(shop, person, CoolingKind.PERSON, by)


def gains_factor(user: User, by: Database) -> None:
    """Makes the person's releases count a day from now, in each shop where they may release."""
    for each in Membership.objects.filter(user=user):
        if may(TeamRole(each.role), Permission.REFUND):
            _gains(shops.find(by, str(each.shop_id)), user.email, CoolingKind.SECOND_FACTOR, by)


def tell_owners(shop: Shop, power: CoolingChange) -> None:
    """A mail to each owner, in their language; a mail server that takes none stops nothing."""
    owners = User.objects.filter(memberships__shop_id=shop.id, memberships__role=TeamRole.OWNER.value, is_active=True)
    for owner in owners:
        language = owner.language or translation.get_language() or "en"
        with translation.override(language), timezone.override(shop.timezone):
            values = {"what": in_words(cooling_message(power)), "shop": shop.name}
        base = the_service().settings.base_url
        link = f"{base}/shops/{shop.id}/settings/team" if base else ""
        try:
            send_service_mail(ServiceMail.NEW_POWER, owner.email, link, values, language)
        except MailNotSent as error:
            _log.warning("an owner was not notified of a new permission", shop=str(shop.id), error=str(error))


def _gains(shop: Shop, person: str, kind: CoolingKind, by: Database) -> None:
    with by.of_shop(shop) as tx:
        power = cooling_off.person_gains(tx, person, kind)
    if power is not None:
        tell_owners(shop, power)
