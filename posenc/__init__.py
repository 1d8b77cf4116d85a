"""Positional encodings for transformers, in NumPy."""
