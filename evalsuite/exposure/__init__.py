"""Tests whether a model has read a benchmark's files, by likelihoods and by generated texts (docs/contamination.md)."""
