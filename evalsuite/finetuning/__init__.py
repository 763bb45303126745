"""LoRA adapters on more and more training items, and how they do: learning curves."""
