"""PostgreSQL data for the matching engine: keys, facts of orders, the past for a backtest."""
