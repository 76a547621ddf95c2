"""Data of reports: the books as of a day, sums of periods, closed months (D-50)."""
