"""What reports read: the books as they stood on a day, sums of periods, closed months (D-50)."""
