"""Has a model read a benchmark's files? Tests by likelihoods and by generated texts (docs/contamination.md)."""
