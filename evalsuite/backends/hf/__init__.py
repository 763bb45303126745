"""Models run by Hugging Face transformers."""
