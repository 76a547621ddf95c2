"""Orders as shop systems write them, read into orders of the API's form (D-75)."""
