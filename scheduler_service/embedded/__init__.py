"""A real PostgreSQL on this machine with nothing to install or configure, and what runs on top of it."""
