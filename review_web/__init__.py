"""The review site: people approve drafts here; it holds no database and no power of its own."""
