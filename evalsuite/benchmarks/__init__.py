"""Official data -> Item: a folder and a line in registry.py for each benchmark."""
