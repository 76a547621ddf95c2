"""Found words in what a result shows: marked, and in amber where they only nearly are what was typed."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from paymatch.domain.search.query import SearchQuery, pieces_of, words_of


def mark_found_words(text: str, query: SearchQuery) -> SafeString:
    """The text with its found words marked."""
    return format_html_join("", "{}", ((_piece(each, query),) for each in pieces_of(text)))


def is_nearly_found(text: str, query: SearchQuery) -> bool:
    """Whether a word of the text is found only with a typing error."""
    words = words_of(text)
    return any(query.nearly_has(word) and not query.has(word) for word in words)


def _piece(piece: str, query: SearchQuery) -> SafeString | str:
    folded = "".join(words_of(piece))
    if folded and query.has(folded):
        return format_html('<mark class="found">{}</mark>', piece)
    if folded and query.nearly_has(folded):
        return format_html('<mark class="nearly">{}</mark>', piece)
    return piece
