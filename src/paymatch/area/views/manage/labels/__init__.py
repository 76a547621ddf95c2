"""Words of the management pages: actions of the audit log, their fields, kinds of data, jobs."""
