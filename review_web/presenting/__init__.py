"""How things are shown: pure functions from values to what a template needs."""
