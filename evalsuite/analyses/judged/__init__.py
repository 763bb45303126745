"""Judges' replies in the store -> scores, correlations with metrics, and controls of the judges."""
