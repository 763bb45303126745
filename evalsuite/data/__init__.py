"""Official files -> Items. One module a benchmark."""
