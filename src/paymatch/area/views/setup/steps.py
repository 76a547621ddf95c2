"""The seven steps in words: title, what is done or comes next, and the settings that two of them ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import ngettext

from paymatch.area.page import Visit
from paymatch.area.people.models import Membership
from paymatch.area.setting_forms import Setting
from paymatch.domain.shops.setup import MINUTES, SetupProgress, SetupStep

SENDER: Final = (
    Setting("mail-from", lazy("Address of the sender"), lazy("Customers see it. Your mail provider must allow it.")),
    Setting("mail-name", lazy("Name of the sender"), lazy("Empty: the shop's name.")),
    Setting("reply-to", lazy("Answers go to"), lazy("Empty: to the sender.")),
)
LOOK: Final = (
    Setting(
        "accent",
        lazy("Colour"),
        lazy("Of buttons and links; a readable text colour is chosen automatically."),
        picker="colour",
    ),
)
MAILS: Final = (
    ("payment-information", lazy("Payment information"), lazy("at once to each new order: account, reference, code")),
    ("reminders", lazy("Reminders"), lazy("after the due date, as the plan says")),
    ("payment-thanks", lazy("Thanks for the payment"), lazy("when an order becomes paid")),
)
"""Setting, title and explanation of each kind of mail that can be sent from the first day."""
_WORDS: Final[Mapping[SetupStep, tuple[str | Promise, str | Promise]]] = {
    SetupStep.ACCOUNT: (lazy("Your account"), lazy("the IBAN that customers pay to")),
    SetupStep.ORDERS: (lazy("Where your orders are"), lazy("a shop system, a file, or the API")),
    SetupStep.STATEMENT: (lazy("First statement"), lazy("from your bank, as a file")),
    SetupStep.SENDER: (lazy("Sender and a test mail to you"), lazy("so that customers know who writes")),
    SetupStep.LOOK: (lazy("Logo and colour"), lazy("for mails, letters and the customer's page")),
    SetupStep.TEAM: (lazy("Invite a person"), lazy("a clerk, a developer, or another owner")),
    SetupStep.LIVE: (lazy("Go live"), lazy("the first mails leave from here on")),
}


def step_values(
    visit: Visit, progress: SetupProgress, facts: Mapping[str, Any], members: Sequence[Membership]
) -> list[dict[str, Any]]:
    """The steps as the page lists them."""
    done_words, paid = _done_steps(facts, members), facts["paid_orders"]
    words = _many(ngettext("%(n)s order is paid", "%(n)s orders are paid", paid), paid)
    result = {"url": f"{visit.url('orders')}?status=PAID", "words": words} if paid else None
    return [
        {
            "step": step, "place": place, "state": progress.states[step].value, "title": _WORDS[step][0],
            "words": done_words.get(step, "") if progress.states[step] == "done" else _WORDS[step][1],
            "minutes": MINUTES[step], "url": f"{visit.url('setup')}?step={step}",
            "template": f"area/setup/{step}.html", "result": result if step is SetupStep.STATEMENT else None,
        }
        for place, step in enumerate(progress.states, 1)
    ]  # fmt: skip


def _done_steps(facts: Mapping[str, Any], members: Sequence[Membership]) -> dict[SetupStep, str]:
    """What a step that is done says of itself."""
    orders, postings, people = facts["orders"], facts["postings"], len(members)
    return {
        SetupStep.ACCOUNT: _("paymatch looks for payments to it."),
        SetupStep.ORDERS: _many(ngettext("%(n)s order", "%(n)s orders", orders), orders)
        if orders
        else _("A shop system is connected."),
        SetupStep.STATEMENT: _many(ngettext("%(n)s payment", "%(n)s payments", postings), postings),
        SetupStep.SENDER: facts["sender"],
        SetupStep.LOOK: _("Mails, letters and the customer's page have it."),
        SetupStep.TEAM: ngettext("%(n)s person works here", "%(n)s people work here", people) % {"n": people},
        SetupStep.LIVE: _("Mail is sent."),
    }


def _many(words: str, count: int) -> str:
    return words % {"n": "1000+" if count > 1000 else count}
