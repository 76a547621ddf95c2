"""Pages beside the API: the start page, health, metrics, the API reference."""
