"""Setting up an empty shop in seven steps: what each shows, and what its form does."""

from paymatch.area.views.setup import page

__all__ = ["page"]
