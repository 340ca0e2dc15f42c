"""Calls: what kind of function is called, and its arguments."""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import KernelCompileError
from .. import intrinsics, ir
from .application import PYTHON_TYPES
from .functions import Functions
from .names import function_name, python_name
from .promotion import Number
from .values import Array, Num, Static, Tuple, Value, constant, describe


class Calls(Functions):
    """Turns calls into values."""

    def call(self, node: ast.Call) -> Value:
        """Return the value of a call."""
        return self._call(node)

    def effect(self, node: ast.Call) -> None:
        """Lower a call that stands on a line of its own."""
        mark = len(self.block)
        value = self._call(node)
        if isinstance(value, Num) and not value.is_const:
            last = self.block[-1] if len(self.block) > mark else None
            named = value.expr.name if isinstance(value.expr, ir.Var) else None
            if isinstance(last, ir.Assign) and last.name == named and named in self.variables:
                self.block[-1] = ir.ExprStmt(last.value, loc=last.loc)  # the old value of an atomic is not wanted
                del self.variables[named]
            elif isinstance(value.expr, ir.CallFunction):
                self.emit(ir.ExprStmt(value.expr, loc=self.loc(node)))

    def _call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            owner = self.expr(node.func.value)
            if not isinstance(owner, Static):
                return self._method(owner, node.func, node)
            function = self.attribute(owner, node.func)
        else:
            function = self.expr(node.func)
        if not isinstance(function, Static):
            raise self.mismatch(f"{describe(function)} cannot be called", node.func, "elements are taken with [ ]")
        return self.call_object(function.obj, node)

    def call_object(self, obj: Any, node: ast.Call) -> Value:
        """Call a Python object known while compiling."""
        source = getattr(obj, "__xpu_func__", None)
        if source is not None:
            return self.call_helper(source, node)
        builtin = getattr(obj, "__xpu_builtin__", None)
        if builtin is not None:
            return self.builtin(builtin, node)
        if isinstance(obj, np.dtype) or (
            isinstance(obj, type) and (obj in PYTHON_TYPES or issubclass(obj, np.generic))
        ):
            return self._cast_call(obj, node)
        python = python_name(obj)
        if python is not None:
            method = getattr(self, f"_python_{python}", None)
            if method is not None:
                result: Value = method(node)
                return result
        name = function_name(obj)
        if name is not None:
            return self.intrinsic(name, node)
        raise self._uncallable(obj, node)

    def _uncallable(self, obj: Any, node: ast.Call) -> KernelCompileError:
        name = getattr(obj, "__name__", type(obj).__name__)
        if hasattr(obj, "__xpu_kernel__"):
            return self.refuse(
                f"a kernel cannot call the kernel {name!r}",
                node,
                "move the shared part into an @xp.func helper, or launch the kernels one after the other",
            )
        if isinstance(obj, types.FunctionType) and not (obj.__module__ or "").startswith(("xpu.", "numpy")):
            return self.refuse(
                f"{name!r} is a plain Python function",
                node,
                f"decorate it with @xp.func to call it from kernels",  # noqa: F541
            )
        if isinstance(obj, type):
            return self.refuse(
                f"objects of class {name!r} cannot be made in a kernel", node, "use numbers, tuples and arrays"
            )
        return self.refuse(
            f"{name!r} is not part of the kernel language",
            node,
            "kernels call xp.math functions, work-item functions, atomics, casts, and @xp.func helpers",
        )

    # --------------------------------------------------------------------------------------------- casts and methods

    def _cast_call(self, obj: Any, node: ast.Call) -> Value:
        name = getattr(obj, "__name__", str(obj))
        if obj is complex or (obj not in PYTHON_TYPES and self.dtype_of(obj, node).kind == "c"):
            return self._make_complex(obj, name, node)
        if not node.args and not node.keywords:
            return constant(0, self.default, self.loc(node), self.dtype_of(obj, node))
        ((value, argument),) = self.arguments(node, name, 1)
        if isinstance(value, Static) and isinstance(value.obj, str) and obj is float:
            try:
                return constant(float(value.obj), self.default, self.loc(node))
            except ValueError:
                raise self.refuse(f"float({value.obj!r}) is no number", node) from None
        result = self.cast(obj, self.as_number(value, argument), node)
        assert result is not None
        return result

    def _make_complex(self, obj: Any, name: str, node: ast.Call) -> Value:
        values = self.numbers(node, name, 1, 2)
        if obj is complex:
            wide = any(dtypes.real_of(v.dtype).itemsize == 8 and v.dtype.kind in "fc" and not v.weak for v in values)
            firm = any(v.dtype.kind in "fc" and not v.weak for v in values)
            narrow = firm and not wide
            dtype = (
                np.dtype(np.complex64)
                if narrow or (self.default.itemsize == 4 and not wide)
                else np.dtype(np.complex128)
            )
        else:
            dtype = self.dtype_of(obj, node)
        if len(values) == 1:
            return Num(self.convert(values[0], Number(dtype), node))
        real = Number(dtypes.real_of(dtype))
        parts = [self.convert(v, real, node) for v in values]
        if all(isinstance(p, ir.Const) for p in parts):
            pair = [p.value for p in parts if isinstance(p, ir.Const)]
            return constant(complex(*pair), self.default, self.loc(node), dtype)
        return Num(ir.Complex(ir.Scalar(dtype), *parts, loc=self.loc(node)))

    def _method(self, owner: Value, attribute: ast.Attribute, node: ast.Call) -> Value:
        name = attribute.attr
        if name == "dtype":
            raise self.refuse(
                f"{ast.unparse(attribute)} is a dtype, and dtypes cannot be called",
                node,
                f"the type of it can: {ast.unparse(attribute)}.type(x)",
            )
        if isinstance(owner, Num):
            if name in ("conjugate", "conj"):
                self.arguments(node, name, 0)
                return self.apply("conj", [owner], node)
            if name == "astype":
                dtype = self.static(node.args[0], "the dtype") if len(node.args) == 1 else None
                result = self.cast(self.dtype_of(dtype, node), owner, node)
                assert result is not None
                return result
            raise self.refuse(
                f"numbers in kernels have no method {name!r}", node, f"write xp.math.{name}(x) if there is such"
            )
        if isinstance(owner, Array):
            raise self.refuse(
                f"arrays in kernels have no method {name!r}",
                node,
                "write the loop over the elements; whole-array functions are called outside of kernels",
            )
        if isinstance(owner, Tuple):
            raise self.refuse(f"tuples in kernels have no method {name!r}", node)
        raise self.mismatch(f"{describe(owner)} cannot be called", node)

    # ----------------------------------------------------------------------------------------------- intrinsics

    def intrinsic(self, name: str, node: ast.Call) -> Value:
        """Call a function of ``xp.math``, by the name that ``intrinsics.TABLE`` has."""
        row = intrinsics.TABLE[name]
        return self.apply(name, self.numbers(node, name, row.arity), node)


__all__ = ["Calls"]
