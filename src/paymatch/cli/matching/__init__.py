"""Commands of matching: decide by hand, learn, test backwards; claims on carriers, and what payers keep."""
