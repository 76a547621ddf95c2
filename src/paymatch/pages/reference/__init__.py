"""The API reference: pages, Markdown and a search, made of the API's own description."""
