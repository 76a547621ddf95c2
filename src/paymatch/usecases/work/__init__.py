"""Due work: kinds, planning, alerts, retention, the check of the books, figures (D-32).

Given moments; hands each job to the use case that does it.
"""
