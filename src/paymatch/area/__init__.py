"""The merchant area: what clerk, owner, developer and operator see in a browser. Django; no money in its ORM.

Given requests by `app.py`; hands every decision to `usecases/`, with the person's name. Its own tables (people,
sessions, second factors) stand in a schema of their own; Django is loaded when the area is first asked for.
"""
