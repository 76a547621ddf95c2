"""Pages for developers: callbacks, keys, the sandbox."""
