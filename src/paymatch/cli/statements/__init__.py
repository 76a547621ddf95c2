"""Commands of bank statements: import, accounts, connections to banks, postings."""
