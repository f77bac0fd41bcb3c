"""Generated contract modules; written by proto/generate.py."""
