"""The order in which suggestions are shown.

Given the candidates that `judge` did not decide; hands them to `decide`, best first.
"""
