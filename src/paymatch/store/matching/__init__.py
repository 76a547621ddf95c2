"""What the matching engine asks of PostgreSQL: keys, facts of orders, the past for a backtest."""
