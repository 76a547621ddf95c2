-- The date by which a letter asks to be paid, as it was written; it may be printed days later (D-95).
ALTER TABLE letters ADD COLUMN pay_by date;
