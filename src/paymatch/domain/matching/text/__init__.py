"""Contents of a posting's text: numbers, names, dates, phrases.

Given remittance information and names as the bank wrote them; hands readings to `prepare` and `evidence`.
"""
