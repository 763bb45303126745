"""What a judge said of a run: scores, agreement with people, controls."""
