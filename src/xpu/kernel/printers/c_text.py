"""Parentheses in C texts."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z_0-9.]+")


def _closing(text: str, opening: int) -> int:
    """Return the position of the bracket that closes the one at ``opening``."""
    depth = 0
    for position in range(opening, len(text)):
        depth += (text[position] in "([") - (text[position] in ")]")
        if depth == 0:
            return position
    return len(text) - 1


def is_atom(text: str) -> bool:
    """Whether a text binds tighter than any operator: a word, a literal, a call, an element."""
    match = _WORD.match(text)
    if match is None and not text.startswith("("):
        return False
    position = match.end() if match else _closing(text, 0) + 1
    while position < len(text):
        if text[position] in "([" and match is not None:
            position = _closing(text, position) + 1
        elif text[position] == ".":
            word = _WORD.match(text, position)
            position = word.end() if word else len(text)
        else:
            return False
    return True


def group(text: str) -> str:
    """Return the text in parentheses unless it needs none."""
    return text if is_atom(text) else f"({text})"


def ungroup(text: str) -> str:
    """Return the text without the parentheses around all of it."""
    while text.startswith("(") and _closing(text, 0) == len(text) - 1:
        text = text[1:-1]
    return text
