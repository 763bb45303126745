"""Models behind any OpenAI-compatible endpoint."""
