"""The handlers, a module per noun: translate in, call one use case, translate out."""
