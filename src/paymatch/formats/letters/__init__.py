"""Letters: paper and window, words per language, the PDF that typst writes of them, and how letters are bundled.

Given the content for a customer; hands PDF files to the spool of `usecases/letters`.
"""
