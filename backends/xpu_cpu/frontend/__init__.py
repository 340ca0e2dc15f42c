"""Numba as the front of the CPU's compiler.

Printed kernels are Python functions over a small vocabulary of words (``load``, ``store``, ``float32``, ``count``...).
Numba reads the bytecode and infers types; what the words and operators mean, and what LLVM code they become, is said
here, in the language's own terms: ``int8 + int8`` is ``int8`` and wraps around. The result is LLVM text, which
:mod:`xpu_cpu.native` turns into machine code. Nothing here is imported before something must be compiled.
"""
