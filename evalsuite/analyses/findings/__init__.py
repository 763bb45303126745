"""Results in sentences: the best model, models above chance, scores of baselines, the cost of the harder set, obstacles."""
