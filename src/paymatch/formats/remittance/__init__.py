"""Structure that banks write into the remittance information, in any format.

Given one text; hands its fields to the readers of MT940 and of tables.
"""
