"""Use cases: one a module, each its own transaction. Servers and workers call them; they call no server."""
