"""Setting up an empty shop in seven steps, and a shop's own past to try the service with."""

from paymatch.area.views.setup import page, replay

__all__ = ["page", "replay"]
