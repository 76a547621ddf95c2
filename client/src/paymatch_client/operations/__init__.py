"""The operations by section, blocking. Written by `make docs` from the declarations of the API."""
