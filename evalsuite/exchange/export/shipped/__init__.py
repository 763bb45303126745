"""Code that is copied into exported folders; the harness that it is for runs it there."""
