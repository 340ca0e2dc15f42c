"""The kernel language: Python functions in, device code out."""
