"""Results in sentences: who is best, who is above chance, what baselines get, what the harder set costs, what is in the way."""
