-- The one change of the audit log that the service can have made is written in the forms that Citus takes (D-79): what
-- stands here is made anew by store/row_security.py in this migration's transaction.
DROP FUNCTION erase_audit_values(bigint[], timestamptz);
DROP POLICY of_eraser ON audit_log;
