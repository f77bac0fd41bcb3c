"""Pure rules about texts: what must survive, how to split, what is wrong, what that is worth."""
