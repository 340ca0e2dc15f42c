"""The vocabulary: how a word or an operator of printed kernels is declared to Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import errors, imputils, types
from numba.core.datamodel import models, register_default
from numba.core.typing import signature, templates as numba_templates

Typing = Callable[..., Any]
Lowering = Callable[[Any, Any, Any, list[Any]], Any]

TYPING = numba_templates.Registry()
LOWERING: dict[Any, Lowering] = {}
"""The code of each key."""
CASTS = imputils.Registry("xpu")
"""Numba's own registry, for the few implicit conversions and constants."""
WORDS: dict[str, Any] = {}
"""What a printed kernel sees as its globals."""


class WordType(types.Function):
    """The type of a word: asks its type rule without Numba's search among overloads, of which there are none."""

    def __init__(self, template: Any) -> None:
        super().__init__(template)
        self._rule = template

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        found = self._rule(context).generic(args, kws)
        if found is None:
            named = ", ".join(map(str, args))
            raise errors.TypingError(f"{getattr(self.typing_key, '__name__', self.typing_key)} does not take ({named})")
        return found

    def get_impl_key(self, sig: Any) -> Any:
        return self.typing_key


register_default(WordType)(models.OpaqueModel)


class Word:
    """A function of printed kernels; has a meaning for the compiler only."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<word {self.__name__}>"

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.__name__} has a meaning inside compiled kernels only")


def declare(key: Any, typing: Typing, lowering: Lowering, literal: bool = False) -> None:
    """Give a key (a word, an operator, a pseudo-function of Numba) its type rule and its code.

    ``typing`` takes argument types and returns the result's, or None where they do not fit. ``lowering`` takes context,
    builder, signature and values. ``literal`` asks for literal types, so that constants can be read at compile time.
    """

    def generic(self: Any, args: tuple[Any, ...], kws: Any) -> Any:
        given = tuple(args if literal else map(types.unliteral, args))
        try:
            result = typing(*given)
        except (TypeError, AttributeError):
            return None
        return None if result is None else signature(result, *given)

    template = type(
        f"Template_{getattr(key, '__name__', key)}",
        (numba_templates.AbstractTemplate,),
        {"key": key, "generic": generic, "prefer_literal": literal},
    )
    if isinstance(key, str):
        TYPING.register(template)
    else:
        TYPING.register_global(key, WordType(template))
    LOWERING[key] = lowering


def word(name: str, typing: Typing, lowering: Lowering, literal: bool = False) -> None:
    """Add a word to the vocabulary."""
    stub = Word(name)
    WORDS[name] = stub
    declare(stub, typing, lowering, literal)
