-- While PostgreSQL knows nothing of a table, two indexes with the same columns cost the same, and the one made later is taken.
-- A restored backup makes indexes in the order of their names: with this name the look-up of an amount goes by
-- `postings_by_amount` there as well, and not through all days of an account.
ALTER INDEX postings_by_day RENAME TO postings_by_account_day;
