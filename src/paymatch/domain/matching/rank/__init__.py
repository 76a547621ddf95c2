"""The order in which suggestions are shown.

Given the candidates that the clerk's rules left to a person; hands them to `decide`, best first.
"""
