"""Other ways to match payments, on the same worlds. Some need a library, and none of them needs paymatch."""
