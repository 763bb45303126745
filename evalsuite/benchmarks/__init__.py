"""Official data -> Item: a folder a benchmark, and one line in registry.py."""
