"""Pages and actions of customers: a shop's brand, the order's own page, bank details for a refund"""
