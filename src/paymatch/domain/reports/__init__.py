"""Reports: what each shows, of which days, and how a closed month is sealed (D-50)."""
