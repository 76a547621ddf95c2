-- Accounts that the exports for bookkeepers book on; "" where the chart of accounts says which.
ALTER TABLE shops ADD COLUMN ledger_chart text NOT NULL DEFAULT 'SKR04' CHECK (ledger_chart IN ('SKR03', 'SKR04'));
ALTER TABLE shops ADD COLUMN ledger_bank text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN ledger_debtors text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN ledger_revenue text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN ledger_fees text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN ledger_clearing text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN datev_consultant text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN datev_client text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN fiscal_year_month smallint NOT NULL DEFAULT 1 CHECK (fiscal_year_month BETWEEN 1 AND 12);
