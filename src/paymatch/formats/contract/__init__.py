"""The objects of the merchant API, each declared once: decoding, checks, schemas and erasure follow from that."""
