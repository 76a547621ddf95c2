"""Structure that banks write into the remittance information, whatever the format around it.

Given one text; hands its fields to the readers of MT940 and of tables.
"""
