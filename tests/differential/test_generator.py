"""The generator: the same program for the same seed, and all of the language in some hundreds of them."""

from __future__ import annotations

import pytest

from .devices import Config
from .execute import REFERENCE, check
from .generate import generate

PROGRAMS = [generate(seed) for seed in range(300)]
TEXT = "\n".join(program.source() for program in PROGRAMS)


def test_a_seed_is_a_program():
    assert generate(5).source() == PROGRAMS[5].source()


WORDS = [
    "xp.barrier()",
    "xp.local_array",
    "xp.private_array",
    "xp.static_range",
    "xp.atomic_add",
    "xp.atomic_min",
    "xp.vload",
    "xp.vstore",
    "while",
    "break",
    "continue",
    "elif",
    "else:",
    "return",
    "xp.where",
    "//",
    "%",
    "**",
    "<<",
    ">>",
    "~",
    "xp.complex64",
    "xp.float16",
    "xp.int8",
    "xp.uint64",
    "xp.bool",
    "and",
    "or",
    "not",
    "xp.math.fma",
    "xp.math.clz",
    "s_int",
    "s_float",
    "xp.group_id",
    "xp.local_id(1)",
    "mirror(",
    "//=",
    "range(6,",
]


@pytest.mark.parametrize("word", WORDS)
def test_the_whole_language_occurs(word):
    assert word in TEXT


def test_every_layout_occurs():
    assert {a.layout for program in PROGRAMS for a in program.arguments} == {"C", "strided", "reversed"}


def test_the_interpreter_takes_all_of_them():
    for program in PROGRAMS[:60]:
        failure = check(program, [])
        assert failure is None, f"{REFERENCE}: {failure.text}\n{program.source()}"


def test_programs_without_float64_have_none():
    config = Config(fp64=False)
    for seed in range(100):
        source = generate(seed, config).source()
        assert "float64" not in source.replace("s_float", "")
        assert "complex128" not in source
