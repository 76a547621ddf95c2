"""Find anything: the page and the dialog of Ctrl K."""

from paymatch.area.views.search import find

__all__ = ["find"]
