"""The pages, a module per subject. Each asks the use cases, and shows."""

from typing import Final

from paymatch.area.views import alerts, bank, overview, postings, reports, rules, search, setup
from paymatch.area.views.develop import callbacks, connectors, developers, requests, sandbox, trying
from paymatch.area.views.manage import agency, audit, branding, privacy, sessions, setting_search, settings, team
from paymatch.area.views.orders import (
    bulk,
    collection,
    import_orders,
    lapses,
    matching,
    new_order,
    order,
    order_list,
    saved_views,
    synchronisations,
)
from paymatch.area.views.payouts import fees as payout_fees
from paymatch.area.views.payouts import payouts
from paymatch.area.views.refunds import files as refund_files
from paymatch.area.views.refunds import pipeline as refunds
from paymatch.area.views.refunds import reports as refund_reports
from paymatch.area.views.reminders import complaint, letters, plan, texts
from paymatch.area.views.reminders import overview as reminders
from paymatch.area.views.setup import replay

ALL: Final = (
    overview, alerts, payouts, payout_fees, postings, rules, order, order_list, bulk, matching, new_order,
    import_orders, saved_views, bank, refunds, refund_files,
    refund_reports, reports, reminders, letters, plan, texts, callbacks, developers, connectors, requests, trying,
    sandbox, settings, setting_search, team, branding, agency, sessions, privacy, audit, collection, lapses,
    synchronisations, search, setup,
    overview, alerts, payouts, postings, rules, order, order_list, bulk, matching, new_order, import_orders,
    saved_views, bank, refunds, refund_files, refund_reports, reports, reminders, complaint, letters,
    plan, texts, callbacks, developers, connectors, requests, trying, sandbox, settings, setting_search, team,
    branding, agency, sessions, privacy, audit, collection, lapses, synchronisations, search, setup, replay,
)  # fmt: skip
"""Modules that declare pages of shops."""
