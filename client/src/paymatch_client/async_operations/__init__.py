"""The operations by section, for asyncio. Written by `make docs` from the declarations of the API."""
