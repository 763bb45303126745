"""CEDAR: causal explanations in dialogues, probed by likelihood."""
