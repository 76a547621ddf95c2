"""The words of the trade and of the API, as glossary entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Term:
    """A word, its meaning in one sentence, where it comes from, and the modules that are about it."""

    word: str
    meaning: str
    source: str
    places: tuple[str, ...] = ()


_POSTINGS: Final = ("domain/postings.py",)
_SETTLEMENT: Final = ("domain/orders/settlement.py",)
_REFERENCES: Final = ("domain/refunds/transfers.py",)
_REFUNDS: Final = ("domain/refunds/refunds.py",)
_MATCHING: Final = ("domain/matching",)
_FEES: Final = ("domain/orders/fees.py",)
_STATEMENT: Final = ("formats/statement.py",)

TERMS: Final[tuple[Term, ...]] = (
    Term(
        "agency",
        "The collection agency of a shop: it gets cases and payments, and sends reports.",
        "D-54",
        ("domain/collection/agency.py",),
    ),
    Term(
        "alert",
        "A problem that only a person can solve; closed automatically once its cause is gone, or by hand.",
        "docs/statements.md",
        ("domain/shops/alerts.py", "usecases/work/alerts.py"),
    ),
    Term("allocation", "The part of a posting for one order, with the amount that was withheld.", "D-36", _SETTLEMENT),
    Term(
        "as of",
        "The state at the end of a past day in the shop's time zone, as it was known then.",
        "docs/reports.md",
        ("domain/reports/asked.py",),
    ),
    Term(
        "audit entry",
        "One record of the audit log: who did what, from where, with the values before and after.",
        "D-45",
        ("domain/shops/audit.py",),
    ),
    Term(
        "closed month",
        "A month whose postings, balances and receivables are sealed by a hash; what changes later is listed.",
        "docs/reports.md",
        ("domain/reports/seal.py",),
    ),
    Term(
        "amount due",
        "What the order costs: its total, plus the fees that the shop adds.",
        "docs/api.md, Order",
        _SETTLEMENT,
    ),
    Term(
        "amount paid",
        "Sum of what allocations credit minus sum of the processed refunds.",
        "docs/api.md, Order; D-3",
        _SETTLEMENT,
    ),
    Term(
        "bank reference",
        "The bank's own number of a booking: AcctSvcrRef in camt, what follows `//` in :61: of MT940.",
        "camt `AcctSvcrRef`; MT940 `:61:`",
        _POSTINGS,
    ),
    Term("booking date", "The day on which the bank entered the movement in the account.", "camt `BookgDt`", _POSTINGS),
    Term(
        "brand",
        "How a shop looks to its customers on pages, in mails and letters: name, logo, colour, contact, footer.",
        "D-51",
        ("domain/shops/brand.py",),
    ),
    Term(
        "callback",
        "Our POST to the shop after a status change, with the order as a read would show it.",
        "docs/api.md, Events; D-18",
        ("outbound",),
    ),
    Term(
        "callback access code",
        "A shared secret in `X-Service-Access-Code` that proves to the shop that a callback is ours.",
        "docs/api.md, Events",
    ),
    Term(
        "camt.052, camt.053, camt.054",
        "ISO 20022 messages of the bank: intraday report, statement of the day, details of batch entries.",
        "ISO 20022",
        _STATEMENT,
    ),
    Term(
        "case",
        "An order at the collection agency, from the handover to payment, withdrawal or the end of the agency's efforts.",
        "docs/api.md, Order; D-20, D-54",
        ("domain/collection/cases.py",),
    ),
    Term("cash discount", "A percentage that the customer may deduct when paying early.", "D-36"),
    Term(
        "claim",
        "An unpaid cash-on-delivery order that its carrier should have paid out.",
        "docs/claims.md",
        ("domain/orders/claims.py",),
    ),
    Term(
        "collection",
        "Handing an unpaid order to an agency, and the agency's result.",
        "docs/api.md, Collection; D-20",
        _SETTLEMENT,
    ),
    Term(
        "connector",
        "Fetches the orders of a shop system, WooCommerce or Shopware 6, and writes payments back to it.",
        "D-75, D-78",
        ("domain/connectors",),
    ),
    Term("counterparty", "The other side of a booking; the API calls it originator.", "camt `RltdPties`", _POSTINGS),
    Term("credited", "The order's share of a posting: its part of the money, plus the amount withheld.", "D-36", _FEES),
    Term(
        "creditor reference",
        "ISO 11649: `RF`, two check digits, up to 21 characters; banks carry it unchanged.",
        "ISO 11649",
        _REFERENCES,
    ),
    Term(
        "customer", "The person or company that ordered from the shop and pays, or gets a refund.", "docs/api.md, Order"
    ),
    Term(
        "default interest",
        "Statutory interest for late payment, and the lump sum that companies owe besides.",
        "BGB, sections 247 and 288",
        ("domain/collection/default_interest.py",),
    ),
    Term(
        "delay",
        "How long after its date, and after it was due, an order was paid.",
        "docs/matching.md",
        ("domain/matching/rank/delays.py",),
    ),
    Term(
        "due work",
        "What happens later: a row with the moment at which it is due, done by a worker.",
        "D-32",
        ("domain/shops/shop_jobs.py", "usecases/work/job_kinds.py"),
    ),
    Term(
        "dunning level",
        "The number of reminders of the order: those it arrived with and those sent since.",
        "docs/api.md, Order; D-33",
        ("domain/reminders/policy.py",),
    ),
    Term(
        "dunning plan",
        "How many reminders a shop sends, after how many days, for which fee.",
        "D-33",
        ("domain/reminders/dunning_plan.py",),
    ),
    Term(
        "embedded PostgreSQL",
        "The PostgreSQL server that is bundled with the installation; its files are in the data directory.",
        "docs/operations.md",
        ("embedded",),
    ),
    Term(
        "EndToEndId",
        "The reference that the sender gives a SEPA transfer: at most 35 characters, unchanged to the payee.",
        "camt, pain.001 `EndToEndId`",
        _REFERENCES,
    ),
    Term(
        "entry",
        "Bank word: one line of a statement. It leaves `formats/` as one or several postings.",
        "camt `Ntry`",
        _STATEMENT,
    ),
    Term(
        "evidence",
        "A fact that speaks for or against an allocation, with its weight and in words.",
        "docs/matching.md",
        _MATCHING,
    ),
    Term(
        "forgotten line",
        "A statement line of an erased person: keyed fingerprints replace its content.",
        "D-63",
        ("domain/books/forgotten.py",),
    ),
    Term("fee", "What a payer keeps of the money that it passes on, with its kind.", "D-36", _FEES),
    Term(
        "handover",
        "An order goes to the agency after its last reminder, with a summary, tables and its invoices.",
        "D-54",
        ("domain/collection/handover.py", "formats/collection/dossier.py"),
    ),
    Term(
        "hint",
        "Evidence too weak to decide: it only sets the order of suggestions.",
        "docs/matching.md",
        ("domain/matching/rank/hints.py",),
    ),
    Term(
        "identity key",
        "The facts that identify two statement lines as the same payment.",
        "D-40",
        ("domain/books/identity.py",),
    ),
    Term(
        "job",
        "Due work of one kind of one shop: refund run, matching, mail, alerts, retention.",
        "D-32",
        ("domain/shops/shop_jobs.py", "usecases/work/job_kinds.py"),
    ),
    Term(
        "legacy",
        "State of an open order that the shop no longer lists.",
        "docs/api.md, States; D-6",
        _SETTLEMENT,
    ),
    Term(
        "letter",
        "A message to a customer about an order by post: payment information, a reminder, or the first invoice.",
        "D-52",
        ("domain/reminders/letters.py", "usecases/letters/writing.py"),
    ),
    Term(
        "mail",
        "A message to a customer about an order by e-mail: payment information (level 0) or a reminder of a level.",
        "D-33",
        ("usecases/reminders/reminders.py", "store/reminders/mails.py"),
    ),
    Term(
        "mark",
        "A state that a person, the shop or an agency has set: paid, cancelled, disappeared, legacy, collection.",
        "D-1",
        _SETTLEMENT,
    ),
    Term("match", "An allocation that was made automatically, with its evidence.", "docs/matching.md", _MATCHING),
    Term("merchant", "The company that runs one or several shops.", "docs/api.md"),
    Term(
        "minor unit",
        "The smallest unit of a currency, in which we count: cents for EUR, yen for JPY.",
        "ISO 4217",
        ("domain/money.py",),
    ),
    Term(
        "movement",
        "A row of a settlement file: a sale, refund, chargeback, fee, reserve or payout at a payment service.",
        "D-83",
        ("domain/payouts/movements.py",),
    ),
    Term(
        "remittance advice",
        "A payer's list of the orders that a sum is for; evidence for matching, never a payment.",
        "D-94",
        ("domain/advices/advice.py",),
    ),
    Term("MT940", "SWIFT's older text format of a statement.", "SWIFT", _STATEMENT),
    Term(
        "notice",
        "A customer's message on the order page: it is paid, or the mail reached the wrong person.",
        "D-51",
        ("domain/customers/notices.py",),
    ),
    Term("operator", "The person or company that runs this service.", "docs/operations.md"),
    Term(
        "order",
        "A purchase as the shop submits it: number, amount, customer, and how it is to be paid.",
        "docs/api.md, Order",
    ),
    Term(
        "order number",
        "The shop's key of an order, up to 255 printable characters of any kind.",
        "docs/api.md, Order; D-15",
    ),
    Term(
        "order page",
        "The page of one order, which its customer opens by a link and without signing in.",
        "D-51",
        ("domain/customers/links.py", "pages/customers"),
    ),
    Term(
        "originator",
        "The API's word for the counterparty's name of a posting.",
        "docs/api.md, Posting; D-8",
        _POSTINGS,
    ),
    Term(
        "pain.001", "ISO 20022 message that orders transfers from a bank; refunds leave in it.", "ISO 20022", _REFUNDS
    ),
    Term(
        "payment information",
        "The first message to the customer: account, amount, reference, QR code.",
        "docs/api.md, Order; D-33",
    ),
    Term(
        "payment reference",
        "The creditor reference that we give an order and ask the customer to quote.",
        "docs/api.md, Order; D-19",
        _REFERENCES,
    ),
    Term(
        "electronic invoice",
        "An invoice that a program reads: XRechnung (UBL or CII), or ZUGFeRD and Factur-X inside a PDF.",
        "D-96",
        ("formats/einvoices/reading.py", "domain/orders/invoice_terms.py"),
    ),
    Term(
        "usual rate",
        "The share of the gross that a payment service kept: the median of up to twelve months before.",
        "D-127",
        ("domain/payouts/monthly_fees.py",),
    ),
    Term(
        "payout",
        "A posting of a carrier, payment service or marketplace for many orders at once, less its fee.",
        "D-36; D-83",
        ("domain/orders/claims.py", "domain/payouts/payouts.py"),
    ),
    Term(
        "posting",
        "One movement of money on a shop's account: the smallest unit that the bank reports.",
        "docs/api.md, Posting; D-8",
        _POSTINGS,
    ),
    Term(
        "print run",
        "Letters that are printed together: one PDF and its index; a letter is in one of them.",
        "D-52",
        ("usecases/letters/printing.py",),
    ),
    Term(
        "provider account",
        "The shop's account at a payment service or marketplace; its statement is the settlement file.",
        "D-83",
        ("store/payouts/payouts.py",),
    ),
    Term(
        "provisional",
        "A posting from an intraday report that the statement of the day has not confirmed yet.",
        "D-40",
        _POSTINGS,
    ),
    Term("refund", "Money back to the customer, executed as a transfer.", "docs/api.md, Refund; D-3, D-4", _REFUNDS),
    Term(
        "refund reference",
        "Our EndToEndId of a refund's transfer; it identifies the booking and the return.",
        "docs/api.md, Refund; D-19",
        _REFERENCES,
    ),
    Term(
        "refund request",
        "Asking a customer, by mail or letter, for the bank account of a refund.",
        "D-5, D-51",
        ("domain/customers/refund_requests.py",),
    ),
    Term(
        "release",
        "A person permits a refund that is not transferred automatically: this amount, to this account.",
        "D-37",
        ("domain/refunds/money_out.py",),
    ),
    Term(
        "rematch index",
        "Keys of open postings; a new or changed order uses them to find postings to decide again.",
        "docs/matching.md",
        ("store/matching/matching.py",),
    ),
    Term(
        "reminder",
        "A message to a customer who has not paid in time.",
        "docs/api.md, Order; D-33",
        ("domain/reminders/policy.py",),
    ),
    Term(
        "remittance information",
        "Bank word: the text that the payer writes for the payee; the API's `text` of a posting.",
        "camt `RmtInf`",
        _POSTINGS,
    ),
    Term(
        "reminder fee",
        "The fee of a reminder that was sent; what is paid above the order pays it, as a fee of its own kind.",
        "D-97",
        ("domain/orders/reminder_fees.py",),
    ),
    Term(
        "remittance signals",
        "What the words of a payment text indicate: refund, cash discount, fee, instalment, payout.",
        "docs/matching.md",
        ("domain/matching/text/wording.py",),
    ),
    Term(
        "resolved posting",
        "A posting as all its statement lines together show it.",
        "D-40",
        ("domain/books/statement_lines.py",),
    ),
    Term(
        "retention",
        "How long data that is not part of the books is kept, and the job that deletes it after that.",
        "D-32",
        ("usecases/privacy/retention.py",),
    ),
    Term(
        "returned payment",
        "A booking that undoes an earlier one; its allocation is undone with it.",
        "camt `RtrInf`",
        _POSTINGS,
    ),
    Term(
        "sandbox shop",
        "A shop for trying things out, with a clock that follows the real time until it is moved.",
        "D-34",
    ),
    Term("scope", "What an API key may do: read, orders, refunds, statements.", "D-37", ("domain/shops/api_keys.py",)),
    Term(
        "sealing",
        "Encryption of secrets and account numbers in the database, under the secret key.",
        "D-44",
        ("store/sealing.py",),
    ),
    Term(
        "search text",
        "The folded words of an order or posting, kept beside it, in which a search looks.",
        "D-101",
        ("domain/search", "store/search"),
    ),
    Term(
        "settlement file",
        "The statement of an account at a payment service or marketplace: movements, and the payouts that contain them.",
        "D-83",
        ("formats/settlements/reader.py",),
    ),
    Term(
        "shop",
        "The tenant: every row, key, index and query begins with its id.",
        "docs/api.md",
        ("store/database.py",),
    ),
    Term(
        "statement",
        "The bank's report on one account for one period: balances and entries.",
        "camt `Stmt`",
        _STATEMENT,
    ),
    Term(
        "statement of account",
        "What one customer owes at the end of a day, order by order; a PDF, mailed on demand.",
        "D-132",
        ("domain/reminders/account_statement.py",),
    ),
    Term(
        "statement channel",
        "How a bank file arrived; some channels prove the accounts in it. Channel for short.",
        "D-37",
        ("domain/statement_channels.py",),
    ),
    Term(
        "statement line",
        "An entry or detail as one statement shows it: stored unchanged; postings are computed from it.",
        "D-40",
        ("domain/books/statement_lines.py",),
    ),
    Term("suggestion", "An allocation that is likely, not certain: a person decides.", "docs/matching.md", _MATCHING),
    Term(
        "synchronisation",
        "A call with the shop's complete list of open orders; an open order that is not in it becomes LEGACY.",
        "D-38",
        ("usecases/orders/synchronisation.py",),
    ),
    Term("tariff", "How a payer calculates its fee, learnt from its confirmed payouts.", "D-36", _FEES),
    Term("tolerance", "The amount that may be missing while an order still counts as paid.", "D-2", _SETTLEMENT),
    Term(
        "transfer file",
        "A pain.001 with the refunds of one run; each refund is in exactly one.",
        "pain.001; D-4",
        _REFUNDS,
    ),
    Term(
        "twins",
        "Open orders of one customer with one amount, which a payment without a number cannot tell apart.",
        "docs/matching.md",
        ("domain/matching/rank/ranking.py",),
    ),
    Term("value date", "The day from which the bank counts interest on a movement.", "camt `ValDt`", _POSTINGS),
    Term("withheld", "Kept by the payer: credited to the order, but never on the account.", "D-36", _FEES),
    Term(
        "witness",
        "The source that states a fact: the bank, a provider, a person, the merchant, the payer or the customer.",
        "D-80",
        ("domain/witnesses.py",),
    ),
)
