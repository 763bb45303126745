"""Response -> results.json: the store, reading, scoring, and the analyses of a run."""
