"""Commands of matching: decide by hand, learn, test backwards; and claims on carriers."""
