"""All SQL and nothing else: one module a statement family. Callers own the transaction."""
