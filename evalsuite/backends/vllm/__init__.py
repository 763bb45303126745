"""Models run by vLLM."""
