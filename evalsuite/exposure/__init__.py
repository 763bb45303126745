"""Has a model read a benchmark's files? Tests by likelihood and by what it writes (docs/contamination.md)."""
