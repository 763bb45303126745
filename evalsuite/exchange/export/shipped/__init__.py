"""Code that is copied into exported folders, where the other harness runs it."""
