"""Inputs of a refund: its order's money, its payee, the account that it leaves (D-3 to D-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.refunds.money_out import TransferFacts, TransferPayee
from paymatch.domain.refunds.transfers import MAY_HAVE_LEFT
from paymatch.formats.sepa.pain001 import sendable, sendable_name
from paymatch.store.orders import ledger
from paymatch.store.refunds import clearance, refunds, transfers
from paymatch.store.refunds.clearance import PayerPayment
from paymatch.store.refunds.refunds import PayerAccount, RefundCustomer, RefundRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.shops import AccountRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.settlement.pending_refunds import covered_of, main_payer

OwnAccount = tuple[str, str]
"""An account of the shop: IBAN and currency."""


@dataclass(frozen=True, slots=True)
class RefundInputs:
    """What a run knows of the orders in question."""

    payments: Mapping[str, list[PayerPayment]]
    customers: Mapping[str, RefundCustomer]
    covered: frozenset[str]
    unsettled: frozenset[str]  # refunds of which an earlier transfer may have reached its payee
    accounts: Mapping[OwnAccount, AccountRow]  # confirmed accounts with an IBAN, the default of a currency first


def load_inputs(tx: ShopTx, pending: Sequence[RefundRow]) -> RefundInputs:
    """Everything that the decisions look at, in one question per kind."""
    numbers = sorted({refund.order_number for refund in pending})
    ledgers = {row.number: row.ledger for row in ledger.load(tx, numbers, tx.shop.tolerance_minor)}
    fitting = covered_of(pending, {number: ledgers[number].net_minor for number in numbers})
    earlier = transfers.of_refunds(tx, [refund.id for refund in pending if refund.attempt > 1])
    open_ones = {row.refund_id for row in earlier if row.status in MAY_HAVE_LEFT}
    accounts = {
        (row.account, row.currency): row for row in shop_store.accounts(tx) if row.confirmed and is_iban(row.account)
    }
    return RefundInputs(
        clearance.payments_of(tx, numbers), refunds.customers(tx, numbers),
        fitting, frozenset(open_ones), accounts,
    )  # fmt: skip


def payee_of(refund: RefundRow, inputs: RefundInputs) -> PayerAccount | None:
    """Where the money goes: what the customer gave, otherwise an account that has paid the order and still does (D-5).

    A payment may have been taken off the order since the refund was filed: then its account has no claim any more.
    """
    if refund.iban_given:
        return PayerAccount(refund.iban, refund.bic, refund.holder)
    known = [payment for payment in inputs.payments.get(refund.order_number, ()) if payment.iban]
    chosen = next((payment for payment in known if payment.iban == refund.iban), None)
    return PayerAccount(chosen.iban, chosen.bic, chosen.holder) if chosen else main_payer(known)


def named_payee(refund: RefundRow, inputs: RefundInputs) -> PayerAccount | None:
    """The payee with a name as a bank takes it: the account's, since banks compare it, else that of who ordered."""
    account = payee_of(refund, inputs)
    if account is None:
        return None
    customer = inputs.customers.get(refund.order_number, RefundCustomer())
    holder = sendable_name(account.holder) or sendable_name(customer.name)
    return PayerAccount(account.iban, account.bic, holder)


def debited_account(refund: RefundRow, inputs: RefundInputs) -> OwnAccount | None:
    """The shop's account in the refund's currency that the money leaves; None if there is none.

    The one that the order was paid to, otherwise the first one.
    """
    for payment in inputs.payments.get(refund.order_number, ()):
        if (payment.own, refund.currency) in inputs.accounts:
            return payment.own, refund.currency
    return next((own for own in inputs.accounts if own[1] == refund.currency), None)


def transfer_facts(
    refund: RefundRow, account: PayerAccount | None, debited: OwnAccount | None, inputs: RefundInputs
) -> TransferFacts:
    """What the transfer of the refund to `account` from `debited` needs."""
    customer, payee = inputs.customers.get(refund.order_number, RefundCustomer()), None
    if account is not None:
        town = sendable(customer.town, 35)
        payee = TransferPayee(account.iban, account.bic, account.holder, town, customer.country)
    own_iban = debited[0] if debited else ""
    return TransferFacts(refund.amount_minor, refund.currency, refund.id in inputs.unsettled, payee, own_iban)
