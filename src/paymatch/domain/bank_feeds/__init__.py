"""Bank feeds: statements that come and transfers that go without a hand."""
