"""Placeholder until written below."""
def coverage() -> str:
    return ""
