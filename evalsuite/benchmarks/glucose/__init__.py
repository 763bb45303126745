"""GLUCOSE: ten dimensions of causal explanation of stories."""
