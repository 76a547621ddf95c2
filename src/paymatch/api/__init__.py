"""The merchant API version 2: a plain WSGI application."""
