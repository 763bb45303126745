"""What leaves the suite or comes in: submissions, exports to other harnesses, parity of backends, files of replies."""
