"""LoRA adapters trained on growing subsets of the training items, and evaluated: learning curves."""
