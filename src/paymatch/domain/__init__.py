"""Pure rules of the service: standard library only, no clock, no logging, no input or output."""
