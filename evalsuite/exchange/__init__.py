"""Exchange with the world outside a run: submissions, exports to other harnesses, parity of backends, files of replies."""
