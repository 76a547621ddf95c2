"""Labels of mails: their names, when the next one is sent, and why a customer gets none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import takewhile
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import day, moment
from paymatch.area.language.sentences import as_sentence
from paymatch.area.views.reports.labels import word
from paymatch.domain.reminders.policy import PlannedReminder, Postponed, Why
from paymatch.domain.words.message import Message
from paymatch.formats.mail.texts import SEVERAL, THANKS

_WHY: Final[Mapping[Why, str | Promise]] = {
    Why.NOT_MANAGED: gettext_lazy("Orders of the type “{type}” get no mail"),
    Why.SETTLED: gettext_lazy("The order is settled: {status}"),
    Why.WITHIN_TOLERANCE: gettext_lazy("What is open is within the shop's tolerance"),
    Why.BELOW_MINIMUM: gettext_lazy("The open amount is below the shop's reminder minimum"),
    Why.NO_ADDRESS: gettext_lazy("The order has no usable e-mail address"),
    Why.OFF: gettext_lazy("The shop's reminders are switched off"),
    Why.STOPPED: gettext_lazy("The shop has stopped the reminders of the order (stopReminder)"),
    Why.LEVELS_LEFT: gettext_lazy("The last of {levels} mails is not sent yet"),
    Why.LETTER: gettext_lazy("A letter about it waits to be printed or sent"),
    Why.LAST_LEVEL: gettext_lazy("All {levels} reminders of the plan were sent"),
    Why.NO_ACCOUNT: gettext_lazy("The shop has no confirmed bank account in {currency}"),
    Why.ADDRESS_REFUSED: gettext_lazy("Mail to this address could not be delivered"),
    Why.TOO_OLD: gettext_lazy("Due for more than {days} days: a person should look at it"),
    Why.STATEMENTS: gettext_lazy("No final statement of the accounts in {currency} has been imported"),
    Why.MATCHING: gettext_lazy("Payments are being matched"),
    Why.WRONG_PERSON: gettext_lazy("The recipient at the order's address says that the order is not theirs"),
    Why.SAYS_PAID: gettext_lazy("The customer says that the payment was made: reminders wait for it"),
    Why.REFUND: gettext_lazy("A refund in progress covers the open amount: the customer is not asked for it"),
    Why.SUGGESTED: gettext_lazy("A posting that waits for a decision may be its payment"),
    Why.OVERPAID: gettext_lazy("Order {order} of its customer is overpaid by what is open here"),
}
_REFUND_OF_PART: Final = gettext_lazy("A refund of a part of it is in progress: reminders wait until {until}")
_STOPPED_BY_PERSON: Final = gettext_lazy("The reminders of the order were stopped by a person")
_STATEMENTS_OLD: Final = gettext_lazy("The statements in {currency} reach to {covered}; needed is {wanted}")
_STATEMENTS_GAP: Final = gettext_lazy("The statements of {flagged} are incomplete")
_FAULTS: Final = ("Error", "Refused", "Disconnected", "Exception", "Timeout", "gaierror")
_DAYS: Final = frozenset({"covered", "wanted", "flagged", "until"})


def mail_words(level: int, *, thanks: bool = False) -> str:
    """What a mail of a level is called."""
    if thanks:
        return _("Thanks for the payment")
    return _("Reminder {level}").format(level=level) if level else _("Payment information")


def text_words(kind: str) -> str:
    """What the text of a kind of mail is called."""
    if kind == SEVERAL:
        return _("Several orders")
    return mail_words(0, thanks=True) if kind == THANKS else mail_words(int(kind))


def why_words(why: Why, named: Mapping[str, str]) -> str:
    """Why no mail is sent, as a sentence."""
    text: str | Promise = _WHY[why]
    if why is Why.STOPPED and named:
        text = _STOPPED_BY_PERSON
    elif why is Why.REFUND and "until" in named:
        text = _REFUND_OF_PART
    elif why is Why.STATEMENTS and "flagged" in named:
        text = _STATEMENTS_GAP
    elif why is Why.STATEMENTS and "covered" in named:
        text = _STATEMENTS_OLD
    shown = {name: day(date.fromisoformat(value)) if name in _DAYS else value for name, value in named.items()}
    if "status" in shown:
        shown["status"] = str(order_badge(shown["status"])[2])
    if "type" in shown:
        shown["type"] = str(word(shown["type"]))
    return str(text).format(**shown)


def failure_words(error: str, *, came_back: bool = False) -> str:
    """Why a mail or letter did not arrive or was not sent: a sentence of ours, or what the other side said, quoted."""
    if not error or isinstance(error, Message):
        return as_sentence(error)
    if came_back:
        return _("It came back, with the words “{words}”").format(words=error)
    if error[:3].isdecimal():
        return (_("Refused for good: “{words}”") if error[0] == "5" else _("Not taken yet: “{words}”")).format(
            words=error
        )
    if _is_fault(error):
        return _("It could not be handed over: “{words}”").format(words=error)
    return _("Reason: “{words}”").format(words=error)


def _is_fault(error: str) -> bool:
    """Whether the text begins with the name of an exception here: nothing that the other side said."""
    name = "".join(takewhile(str.isalpha, error))
    return error.startswith("[Errno") or name == "gaierror" or (name.endswith(_FAULTS) and name not in _FAULTS)


def next_mail_words(found: PlannedReminder | list[Postponed], timezone: str) -> tuple[str, list[tuple[str, str]]]:
    """(the next mail, when it is sent or all reasons why there is none).

    Each line comes with the id of the posting that it is about, "" for the others.
    """
    if isinstance(found, list):
        lines = [(why_words(each.why, each.named), each.named.get("posting", "")) for each in found]
        return _("No mail is planned"), lines
    at = moment(found.at, timezone)
    line = _("will be sent on {moment} unless the customer pays before").format(moment=at)
    return mail_words(found.level, thanks=found.thanks), [(line, "")]
