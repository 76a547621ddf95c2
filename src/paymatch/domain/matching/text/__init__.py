"""What a posting's text says: numbers, names, dates, turns of phrase.

Given remittance information and names as the bank wrote them; hands readings to `prepare` and `evidence`.
"""
