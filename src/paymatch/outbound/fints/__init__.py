"""FinTS 3.0 with PIN and TAN, by the library `fints`: messages, dialogues, transfers."""
