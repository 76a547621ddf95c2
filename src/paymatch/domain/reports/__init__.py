"""Reports: their contents and days, and the seal of a closed month (D-50)."""
