"""Words of the management pages: deeds of the audit log, their fields, kinds of data, jobs."""
