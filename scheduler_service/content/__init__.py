"""Files and systems that hold texts: how they are read into pages of fields and written back translated."""
