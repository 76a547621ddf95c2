"""Reports: the summary, one page per report with table, chart and export, closed months."""

from paymatch.area.views.reports import closing, exports, open_items, report, summary

__all__ = ["closing", "exports", "open_items", "report", "summary"]
