"""Answer + Item -> Score."""
