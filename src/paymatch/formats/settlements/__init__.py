"""Settlement files of payment services and marketplaces: read by headings, proved by sums (D-83)."""
