"""Files for and from a collection agency (docs/collection.md): the dossier of a case, and reports as CSV or JSON."""
