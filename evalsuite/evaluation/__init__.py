"""A run: plan the trials, load the models, ask them, score the replies, write the page (journey.py)."""
