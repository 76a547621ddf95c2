"""FinTS with a person: dialogues on the pages, fetching of statements, sending of transfer files (D-138)."""
