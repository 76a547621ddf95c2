-- Payouts whose amount no file states: they take over the debts of earlier ones (D-129).
ALTER TABLE payouts ADD COLUMN implied boolean DEFAULT false NOT NULL;
