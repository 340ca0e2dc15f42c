"""Lowering of one function: repeat the walk until the types of all names stay the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import KernelCompileError, KernelTypeError
from .. import ir
from .definite import zero_unassigned
from .promotion import Number
from .signature import ArgType, Fixed, Partial, number_of
from .source import FunctionSource, assigned_names
from .statements import Statements
from .values import Array, Num, Static, Tuple, Value, number_type

if TYPE_CHECKING:
    from .context import Compilation

_MAX_PASSES = 100
_PARAMETER = -2


class FunctionLowering(Statements):
    """Lowers a kernel or a helper for given argument types.

    Each walk over the syntax tree makes the whole body anew with the types known so far. A walk in which a type grew,
    or a constant proved to be a variable, is thrown away with its errors; the first walk in which nothing changes is
    the result.
    """

    def __init__(
        self,
        compilation: Compilation,
        source: FunctionSource,
        types: tuple[ArgType, ...],
        arguments: list[Value] | None = None,
        fixed: bool = False,
    ) -> None:
        self.result = None
        self.result_place = None
        self.returns_nothing = None
        self.returns_tuple = False
        super().__init__(compilation, source)
        self.types = types
        self.given = arguments
        self.fixed = fixed
        self.assigned = frozenset(assigned_names(source.tree))
        self.params: list[ir.Param] = []
        self.param_names: dict[str, str] = {}

    def run(self) -> None:
        """Infer and lower; raise the first error that stays."""
        for _ in range(_MAX_PASSES):
            self.start_pass()
            self.returns_nothing = None
            self.params = []
            self._bind_parameters()
            through = self.body(self.source.body())
            if self.restart:
                self.forget_types()
                self.result = self.result_place = None
                continue
            if self.changed:
                continue
            if self.errors:
                raise self.errors[0]
            if through and self.result is not None:
                raise self.refuse(
                    f"{self.source.where} returns a value on some ways and reaches its end on others",
                    self.result_place,
                    "add a return at the end",
                )
            return
        raise AssertionError(f"types of {self.source.where} do not settle")  # pragma: no cover

    # ------------------------------------------------------------------------------------------------ parameters

    def _bind_parameters(self) -> None:
        for position, (name, kind) in enumerate(zip(self.source.parameters(), self.types, strict=True)):
            argument = self.given[position] if self.given is not None else None
            value = self._parameter(name, name, kind, argument)
            slot = self.scope.slot(name)
            loc = self.source.loc
            try:
                if isinstance(value, Num) and not value.is_const and name not in self.assigned:
                    slot.kind, slot.number, slot.place = "number", value.number, loc
                    assert isinstance(value.expr, ir.Var)
                    slot.irname = value.expr.name
                elif isinstance(value, Num) or name in self.scope.variable_names:
                    self.bind(slot, value, loc, _PARAMETER)
                else:
                    slot.const, slot.site, slot.place = value, _PARAMETER, loc
            except (KernelCompileError, KernelTypeError) as error:
                self.errors.append(error)

    def _parameter_name(self, name: str) -> str:
        if name not in self.param_names:
            self.param_names[name] = self.unique(name)
        return self.param_names[name]

    def _parameter(self, name: str, label: str, kind: ArgType, argument: Value | None) -> Value:
        loc = self.source.loc
        if isinstance(kind, tuple):
            given: list[Any] = argument.items if isinstance(argument, Tuple) else [None] * len(kind)
            pairs = zip(kind, given, strict=True)
            return Tuple([self._parameter(f"{name}_{k}", f"{label}[{k}]", t, a) for k, (t, a) in enumerate(pairs)])
        if isinstance(kind, Fixed):
            assert argument is not None
            return argument if isinstance(argument, (Num, Static)) else Static(kind.value)
        irname = self._parameter_name(name)
        if isinstance(kind, (ir.ArrayType, Partial)):
            array = kind if isinstance(kind, ir.ArrayType) else kind.type
            self.params.append(ir.Param(irname, array, loc=loc))
            indices: list[ir.Expr] = []
            for axis in range(kind.given if isinstance(kind, Partial) else 0):
                index = self._parameter_name(f"{name}_i{axis}")
                self.params.append(ir.Param(index, ir.INT64, loc=loc))
                indices.append(ir.Var(ir.INT64, index, loc=loc))
            return Array(irname, array, label, indices)
        number = number_of(kind, self.default)
        self.params.append(ir.Param(irname, number_type(number), loc=loc))
        return Num(ir.Var(number_type(number), irname, loc=loc), number.weak)

    # ---------------------------------------------------------------------------------------------------- results

    def must_inline(self) -> bool:
        """Whether no function can hold this helper: barriers, local memory, tuples."""
        if self.returns_tuple or any(d.type.space == "local" for d in self.arrays.values()):
            return True
        return any(isinstance(node, ir.Barrier) for node in ir.walk(self.block))

    def function(self, name: str) -> ir.Function:
        """Return the helper as IR."""
        result = None if self.result is None else number_type(self.result)
        function = ir.Function(
            name, self.params, result, self.variables, list(self.arrays.values()), self.block, loc=self.source.loc
        )
        self._refuse_unassigned(function)
        return function

    def kernel(self, name: str) -> ir.Kernel:
        """Return the kernel as IR."""
        functions = self.compilation.reachable(self.block)
        kernel = ir.Kernel(
            name, self.params, self.variables, list(self.arrays.values()), self.block, functions, loc=self.source.loc
        )
        self._refuse_unassigned(kernel)
        return kernel

    def _refuse_unassigned(self, function: ir.Function | ir.Kernel) -> None:
        hopeless = zero_unassigned(function)
        if hopeless is not None:
            raise self.unassigned(hopeless.name, hopeless.loc)


__all__ = ["FunctionLowering", "Number"]
