"""What customers see and do: a shop's brand, the order's own page, bank details for a refund"""
