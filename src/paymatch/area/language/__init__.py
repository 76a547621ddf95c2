"""How the merchant area writes what the domain says, and reads what people type, in the reader's language."""
