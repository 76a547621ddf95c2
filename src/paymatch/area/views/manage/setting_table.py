"""Settings of a shop: each one once, with its label and its input field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.setting_forms import ON_OFF, Setting, hours, switch
from paymatch.area.views.reports.labels import EXPORTED_FILES, EXPORTED_TABLES
from paymatch.formats.languages.texts import LANGUAGES

_FOREVER: Final = lazy("A number of days. Empty: forever.")

SUBJECTS: Final[Mapping[str, tuple[str | Promise, tuple[Setting, ...]]]] = {
    "shop": (
        lazy("Shop"),
        (
            Setting("name", lazy("Name")),
            Setting("holder", lazy("Account holder"), lazy("As payment codes and letters name it.")),
            Setting("street", lazy("Street")),
            Setting("house-number", lazy("House number")),
            Setting("postcode", lazy("Postcode")),
            Setting("city", lazy("City")),
            Setting("language", lazy("Language of mail and letters"), values=tuple(LANGUAGES.items())),
            Setting(
                "timezone", lazy("Time zone"), lazy("Such as Europe/Berlin. Days begin and end by it."), picker="zone"
            ),
            Setting(
                "status",
                lazy("State"),
                lazy("A paused shop neither matches nor sends."),
                values=(("active", lazy("Active")), ("paused", lazy("Paused"))),
            ),
            switch("large-online-seller", lazy("Large online seller (250 people, or 50 million euro)"), ON_OFF),
        ),
    ),
    "matching": (
        lazy("Matching"),
        (
            Setting(
                "caution",
                lazy("Caution"),
                lazy("How sure matching must be before it books without a person."),
                values=(("cautious", lazy("Cautious")), ("normal", lazy("Normal")), ("bold", lazy("Bold"))),
            ),
            switch("learning", lazy("Learn from decisions"), ON_OFF),
            Setting(
                "tolerance",
                lazy("Tolerance"),
                lazy("An order counts as paid if no more than this is missing."),
                is_money=True,
            ),
            Setting("fee-tolerance", lazy("Bank fees"), lazy("What a bank may keep of a payment."), is_money=True),
            Setting(
                "bank-charge-percent",
                lazy("Bank charges in %"),
                lazy("Charges that a bank states are accepted up to this share of the payment."),
                is_percent=True,
            ),
            Setting(
                "bank-charge-limit",
                lazy("Bank charges, at most"),
                lazy("Higher charges wait for a person."),
                is_money=True,
            ),
            Setting(
                "cash-discount",
                lazy("Cash discount in %"),
                lazy("What customers may deduct for paying early."),
                is_percent=True,
            ),
            switch(
                "invoice-terms",
                lazy("Terms of electronic invoices"),
                (lazy("Fill what the order leaves empty"), lazy("Show only")),
                lazy("Due date and cash discount of an XRechnung, ZUGFeRD or Factur-X."),
            ),
            switch(
                "accounts-locked", lazy("Unknown accounts"), (lazy("Refuse"), lazy("Add when a statement names them"))
            ),
            switch("ordersync-guard", lazy("Guard of order synchronisation"), ON_OFF),
            switch(
                "use-credit",
                lazy("Use credit for new orders"),
                ON_OFF,
                lazy("Otherwise it is offered on the order's page."),
            ),
            Setting(
                "lapse-after",
                lazy("Days after which an unpaid prepayment is cancelled"),
                lazy("Counted from the last mail. Empty: none is."),
                none="off",
            ),
        ),
    ),
    "mail": (
        lazy("Sender and reminders"),
        (
            Setting("mail-from", lazy("Address of the sender")),
            Setting("mail-name", lazy("Name of the sender")),
            Setting("reply-to", lazy("Answers go to"), lazy("One field for all mail. Empty: to the sender.")),
            switch("payment-information", lazy("Payment information for new orders"), ON_OFF),
            switch("payment-thanks", lazy("Thanks for payments received"), ON_OFF),
            switch("reminders", lazy("Reminders"), ON_OFF),
            Setting(
                "reminder-minimum",
                lazy("Reminder minimum"),
                lazy("If less than this is open, no reminder is sent."),
                is_money=True,
                needs="reminders",
            ),
            Setting("keep-mail-days", lazy("Days that mail is kept"), _FOREVER, none="forever"),
        ),
    ),
    "letters": (
        lazy("Letters"),
        (
            switch("letters", lazy("Letters"), ON_OFF, lazy("The first invoice of an order, and what the plan says.")),
            Setting(
                "invoice-letters",
                lazy("First invoice by letter"),
                values=(
                    ("cover", lazy("Behind a cover page")),
                    ("as-is", lazy("As it was uploaded")),
                    ("off", lazy("Not at all")),
                ),
                needs="letters",
            ),
            Setting(
                "letters-by",
                lazy("Who prints letters"),
                values=(("printer", lazy("We print them")), ("provider", lazy("A provider"))),
                needs="letters",
            ),
            Setting(
                "letter-paper",
                lazy("Window of the envelopes"),
                values=(
                    ("", lazy("As usual in the shop's country")),
                    ("din-5008", lazy("DIN 5008, form B")),
                    ("swiss-right", lazy("Swiss, on the right")),
                    ("swiss-left", lazy("Swiss, on the left")),
                ),
                needs="letters",
            ),
            switch("letter-duplex", lazy("Letters on both sides"), ON_OFF, needs="letters"),
            switch("letter-colour", lazy("Letters in colour"), ON_OFF, needs="letters"),
            Setting("letter-alert-days", lazy("Days after which a waiting letter raises an alert"), needs="letters"),
            Setting(
                "letter-print-hour",
                lazy("Hour of the daily print run"),
                lazy("Each day's letters are put into one file at this hour, in the shop's time zone."),
                values=hours(lazy("No daily run")),
                none="off",
                needs="letters",
            ),
        ),
    ),
    "retention": (
        lazy("Retention"),
        (
            Setting(
                "keep-invoice-days",
                lazy("Days that invoices are kept"),
                lazy("Empty: as long as the order names its customer."),
                none="forever",
            ),
            Setting(
                "keep-drop-days",
                lazy("Days that bank files are kept in the drop folder"),
                _FOREVER,
                none="forever",
            ),
            Setting(
                "keep-payer-days",
                lazy("Days that payers are kept"),
                lazy("Names, accounts and texts of postings. Empty: forever."),
                none="forever",
            ),
            Setting(
                "keep-order-years",
                lazy("Years that customers are kept"),
                lazy("After the last change of a settled order: eight or more. Empty: forever."),
                none="forever",
            ),
            Setting(
                "keep-deleted-days",
                lazy("Days until a deleted shop's data is erased"),
                lazy("Until then the shop can be restored."),
            ),
        ),
    ),
    "access": (
        lazy("Access"),
        (
            switch("api", lazy("API"), ON_OFF),
            Setting(
                "access",
                lazy("What keys may do"),
                values=(("read-write", lazy("Read and write")), ("read-only", lazy("Only read"))),
                needs="api",
            ),
            switch("statements-api", lazy("Statements by API"), ON_OFF, lazy("For keys with that scope."), needs="api"),
        ),
    ),
    "bookkeeping": (
        lazy("Bookkeeping"),
        (
            Setting(
                "ledger-chart",
                lazy("Chart of accounts"),
                lazy("For empty fields the usual accounts of this chart apply."),
                values=(("SKR03", "SKR03"), ("SKR04", "SKR04")),
            ),
            Setting(
                "ledger-bank",
                lazy("Bank account"),
                lazy("One for all, or several by IBAN: 1800,DE89370400440532013000:1810."),
            ),
            Setting("ledger-debtors", lazy("Debtors"), lazy("For customers whose number is not an account.")),
            Setting("ledger-revenue", lazy("Revenue")),
            Setting("ledger-fees", lazy("Fees"), lazy("One for all, or several by kind: 6855,CASH_DISCOUNT:4736.")),
            Setting("ledger-reminder-fees", lazy("Reminder fees"), lazy("Fees of reminders that customers paid.")),
            Setting("ledger-transit", lazy("Transit"), lazy("Transfers between the shop's own accounts.")),
            Setting(
                "ledger-set-paid",
                lazy("Set paid"),
                lazy("Orders paid without a posting, also by kind: 1370,CASH:1600."),
            ),
            Setting("ledger-currency", lazy("Currency differences"), lazy("Orders that are paid in another currency.")),
            Setting("ledger-clearing", lazy("Clearing"), lazy("What is set aside or not explained yet.")),
            Setting("ledger-credits", lazy("Credit of customers"), lazy("What was overpaid and is kept.")),
            Setting("ledger-income", lazy("Other income"), lazy("Overpayments that are booked as income.")),
            Setting("ledger-losses", lazy("Losses"), lazy("Money that was paid out twice and is not reclaimed.")),
            Setting("datev-consultant", lazy("DATEV consultant number")),
            Setting("datev-client", lazy("DATEV client number")),
            Setting(
                "datev-tax-keys",
                lazy("DATEV tax keys"),
                lazy("Of accounts that are not automatic ones: 4410:3,4736:3."),
            ),
            Setting(
                "datev-rates",
                lazy("DATEV exchange rates"),
                lazy("What one unit of the shop's currency is worth in others: CHF:0.9312,USD:1.0850."),
            ),
            Setting(
                "datev-links",
                lazy("DATEV links to invoices"),
                lazy("The export of invoices contains them under the same ids."),
                values=(("", lazy("None")), ("BEDI", "DATEV Unternehmen online"), ("DDMS", "DATEV DMS")),
            ),
            Setting("fiscal-year-month", lazy("First month of the fiscal year"), lazy("A number from 1 to 12.")),
        ),
    ),
}
LOOK: Final = (
    Setting(
        "accent", lazy("Colour"), lazy("Such as #0f6b4f, for buttons and links. Empty: the usual one."), picker="colour"
    ),
    Setting("contact-email", lazy("E-mail address for questions")),
    Setting("contact-phone", lazy("Telephone for questions")),
    Setting("website", lazy("Website"), lazy("Begins with https://.")),
    Setting(
        "legal-footer",
        lazy("Footer"),
        lazy("Legally required information below mails and letters; up to 12 lines."),
        lines=5,
    ),
    Setting("imprint-url", lazy("Imprint"), lazy("Its address, linked on customers' pages. Begins with https://.")),
    Setting("privacy-url", lazy("Privacy notice"), lazy("Its address, linked on customers' pages.")),
)
REFUNDS: Final = (
    switch(
        "refund-runs",
        lazy("Transfer files automatically"),
        ON_OFF,
        lazy("On bank days paymatch writes due refunds into files."),
    ),
    Setting("refund-limit", lazy("Limit of a refund"), lazy("Above it a person releases the refund."), is_money=True),
    Setting("refund-day-limit", lazy("Limit of a day"), lazy("Paid out per day without a release."), is_money=True),
    Setting(
        "refund-four-eyes",
        lazy("Four eyes above"),
        lazy("Above it two different persons release a refund."),
        is_money=True,
    ),
    Setting(
        "transfer-version",
        lazy("Version of transfer files"),
        values=(("09", "pain.001.001.09"), ("03", "pain.001.001.03")),
    ),
    Setting(
        "transfer-characters",
        lazy("Characters of transfer files"),
        values=(
            ("", lazy("As banks of the account's country take them")),
            ("sepa", lazy("Without umlauts and &")),
            ("umlauts", lazy("With umlauts and &")),
        ),
    ),
    Setting(
        "transfer-speed",
        lazy("Speed of transfers in euro"),
        lazy("Instant transfers arrive within seconds, on any day, and cannot be recalled."),
        values=(
            ("normal", lazy("Normal, on the next bank day")),
            ("instant", lazy("Instant, where the bank offers it")),
        ),
    ),
    Setting(
        "instant-refused",
        lazy("If an instant transfer is not possible"),
        lazy("A normal transfer follows automatically only if it keeps all limits of refunds."),
        values=(
            ("ask", lazy("A person decides")),
            ("normal", lazy("A normal transfer follows")),
        ),
    ),
    Setting(
        "payee-check",
        lazy("Payee check by EBICS"),
        lazy(
            "With the check, the order waits in your bank for a signature. Some banks demand it for single transfers."
        ),
        values=(
            ("off", lazy("Never, where the bank lets you")),
            ("single", lazy("For files with one transfer")),
            ("on", lazy("For all files")),
        ),
    ),
    Setting(
        "refund-deadline",
        lazy("Days for a refund"),
        lazy("An alert comes 4 days before. The law gives 14 days for withdrawn orders."),
    ),
)
SIGN_IN: Final = (
    Setting(
        "second-factor",
        lazy("Second factor"),
        lazy("Anyone without one has to set one up first: an app, a passkey or a security key."),
        values=(
            ("off", lazy("As each person likes")),
            ("money", lazy("Required for owners and clerks")),
            ("all", lazy("Required for everyone")),
        ),
    ),
)
EXPORTS: Final = (
    Setting(
        "exports",
        lazy("Automatic exports"),
        values=(*EXPORTED_TABLES, *EXPORTED_FILES),
        several=True,
    ),
    Setting(
        "export-every",
        lazy("How often"),
        values=(
            ("off", lazy("Never")),
            ("day", lazy("Daily")),
            ("week", lazy("Weekly")),
            ("month", lazy("Monthly")),
        ),
    ),
    Setting(
        "export-to",
        lazy("Where to"),
        lazy("“folder” on the server, “s3” for the storage of the operator, or an e-mail address."),
        needs="export-every",
    ),
    Setting(
        "export-wait",
        lazy("Days to wait for statements"),
        lazy("An export leaves when the statements of all accounts reach its last bank day, or after these days."),
        needs="export-every",
    ),
)
