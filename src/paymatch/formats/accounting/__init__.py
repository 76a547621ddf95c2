"""Tables and journals for bookkeepers: CSV and XLSX with typed cells, double-entry journals."""
