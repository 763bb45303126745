"""Official data -> Item. Each benchmark is a folder and a row in registry.py."""
