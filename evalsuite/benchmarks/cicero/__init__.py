"""CICERO: contextualised inferences in dialogues, generated and selected."""
