-- Code and values of the messages whose words are kept, as JSON; empty for the words of others and for rows that were
-- written before (D-89).
ALTER TABLE import_errors ADD COLUMN reason_message text NOT NULL DEFAULT '';
ALTER TABLE import_runs ADD COLUMN error_message text NOT NULL DEFAULT '';
ALTER TABLE callbacks ADD COLUMN last_error_message text NOT NULL DEFAULT '';
ALTER TABLE callback_attempts ADD COLUMN error_message text NOT NULL DEFAULT '';
ALTER TABLE refunds ADD COLUMN ask_note_message text NOT NULL DEFAULT '';
ALTER TABLE mails ADD COLUMN error_message text NOT NULL DEFAULT '';
ALTER TABLE letters ADD COLUMN error_message text NOT NULL DEFAULT '';
ALTER TABLE posting_past ADD COLUMN held_back_message text NOT NULL DEFAULT '';
