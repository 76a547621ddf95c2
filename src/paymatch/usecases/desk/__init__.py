"""Clerks' actions on an order across all subjects, and their view of it."""
