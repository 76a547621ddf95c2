"""The merchant area: the pages for clerk, owner, developer and operator. Django; no money in its ORM.

Given requests by `app.py`; hands every decision to `usecases/`, with the person's name. Its own tables (people,
sessions, second factors) are in a separate schema; Django is loaded on the area's first request.
"""
