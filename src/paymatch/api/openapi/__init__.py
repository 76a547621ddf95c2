"""The OpenAPI 3.1 document and what it is made of: schemas, examples, the sandbox's part."""
