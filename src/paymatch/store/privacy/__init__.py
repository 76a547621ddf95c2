"""Personal data in PostgreSQL: where a person is found, exported from and erased (D-63)."""
