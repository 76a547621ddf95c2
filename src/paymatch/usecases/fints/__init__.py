"""FinTS with a person: dialogues on the pages, statements that are fetched, transfer files that are sent (D-138)."""
