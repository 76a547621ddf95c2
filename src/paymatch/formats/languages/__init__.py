"""The languages in which customers are written to: catalogues of texts, amounts and dates, templates

Pages, mails and letters all speak through here, so that one sentence is written once per language.
"""
