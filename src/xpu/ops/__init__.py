"""NumPy-like functions, by chapter."""
