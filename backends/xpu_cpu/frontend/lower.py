"""From a printed kernel to LLVM text, with Numba's type inference and lowering under xpu's own rules."""

from __future__ import annotations

import re
from typing import Any

from llvmlite import ir
from numba.core import (
    compiler,
    compiler_machinery,
    cpu,
    errors,
    funcdesc,
    ir as numba_ir,
    lowering,
    typed_passes,
    types,
    typing,
)
from numba.core.compiler_lock import global_compiler_lock
from numba.core.untyped_passes import FixupArgs, IRProcessing, TranslateByteCode

from ..native import vector_bits
from . import atomics, conversions, loops, math, memory, operators, reports, types as t  # noqa: F401  (they declare words)
from .words import CASTS, LOWERING, TYPING, WORDS, Word

ARGUMENTS = (types.int64, types.int64, t.Pointer("uint8", "raw"), t.Pointer("uint8", "raw"))
"""A printed kernel takes where to begin and to end, the argument slots, and scratch memory."""


class TypingContext(typing.BaseContext):
    """Knows xpu's vocabulary and nothing else."""

    def _load_builtins(self) -> None:
        self.install_registry(TYPING)

    def resolve_value_type(self, val: Any) -> Any:
        if isinstance(val, Word):
            return self._lookup_global(val)
        return super().resolve_value_type(val)


class TargetContext(cpu.CPUContext):
    """Numba's CPU target without the library that belongs to it."""

    def refresh(self) -> None:
        self.install_registry(CASTS)

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        key = fn.get_impl_key(sig) if isinstance(fn, types.Callable) else fn
        lowering = LOWERING[key]

        def implementation(builder: Any, args: Any, loc: Any = None) -> Any:
            return lowering(self, builder, sig, args)

        return implementation

    def post_lowering(self, module: Any, library: Any) -> None:
        pass


class Lower(lowering.Lower):
    """Marks the loops whose rounds are independent."""

    def init(self) -> None:
        super().init()
        self._starts: dict[int, int] = {}
        for number, label in enumerate(sorted(self.blocks)):
            self._starts[label] = number
        self._parallel = {label for label, block in self.blocks.items() if self._is_parallel(block)}
        self._current = -1

    def _is_parallel(self, block: Any) -> bool:
        for statement in block.body:
            value = getattr(statement, "value", None)
            if isinstance(value, numba_ir.Expr) and value.op == "iternext":
                counter = self.fndesc.typemap[value.value.name]
                return isinstance(counter, t.Counter) and counter.parallel
        return False

    def lower_block(self, block: Any) -> None:
        self._current = next(label for label, item in self.blocks.items() if item is block)
        super().lower_block(block)

    def lower_inst(self, inst: Any) -> None:
        super().lower_inst(inst)
        if isinstance(inst, numba_ir.Jump) and inst.target in self._parallel and self._current >= inst.target:
            module = self.module
            access = module.add_metadata(
                [ir.MetaDataString(module, "llvm.loop.parallel_accesses"), memory.access_group(module)]
            )
            identity = ir.MetaDataString(module, f"xpu.loop.{inst.target}")
            self.builder.block.terminator.set_metadata("llvm.loop", module.add_metadata([identity, access]))


class Library:
    """Stands in for Numba's code library: keeps the text of the module instead of compiling it."""

    def __init__(self, codegen: Any, name: str) -> None:
        self.codegen = codegen
        self.name = name
        self.text = ""

    def create_ir_module(self, name: str) -> Any:
        return self.codegen._create_empty_module(name)

    def add_ir_module(self, module: Any) -> None:
        self.text = str(module)


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class LowerToText(compiler_machinery.LoweringPass):
    """The last pass: LLVM text, and the name of the function in it."""

    _name = "xpu_lower_to_text"

    def __init__(self) -> None:
        compiler_machinery.LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        library = Library(context.codegen(), state.func_id.func_qualname)
        described = funcdesc.PythonFunctionDescriptor.from_specialized_function(
            state.func_ir, state.typemap, state.return_type, state.calltypes,
            mangler=context.mangler, inline=True, noalias=False, abi_tags=(),
        )  # fmt: skip
        with context.push_code_library(library):
            Lower(context, library, described, state.func_ir, metadata=state.metadata).lower()
        state.cr = (library.text, described.llvm_func_name)
        return True


class Compiler(compiler.CompilerBase):
    """The few passes that printed kernels need."""

    def define_pipelines(self) -> list[Any]:
        passes = compiler_machinery.PassManager("xpu")
        for step in (TranslateByteCode, FixupArgs, IRProcessing, typed_passes.NopythonTypeInference, LowerToText):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class Front:
    """One typing context and one target context, used under Numba's compiler lock."""

    def __init__(self) -> None:
        self.typing = TypingContext()
        self.target = TargetContext(self.typing)
        self.flags = compiler.Flags()
        self.flags.error_model = "numpy"
        self.flags.nrt = False
        self.flags.no_cpython_wrapper = True
        self.flags.no_cfunc_wrapper = True

    def lower(self, text: str, name: str) -> tuple[str, dict[str, Any]]:
        """Return LLVM text with the entry point ``name``, and the constants that the printed module defines."""
        namespace: dict[str, Any] = dict(WORDS)
        exec(compile(text, f"<xpu kernel {name}>", "exec"), namespace)  # noqa: S102  (our own printer's text)
        function = namespace[name]
        with global_compiler_lock:
            try:
                module, symbol = compiler.compile_extra(
                    self.typing, self.target, function, ARGUMENTS, types.none, self.flags, locals={},
                    pipeline_class=Compiler,
                )  # fmt: skip
            except errors.NumbaError as error:
                raise SyntaxError(str(error)) from None
        return finish(module, symbol, name), namespace


_METADATA = re.compile(r'^(![0-9]+) = !\{ !"xpu\.(parallel|loop\.[0-9]+)"(?:, )?(.*) \}$', re.MULTILINE)
_DECLARE = re.compile(r"^(declare .*\))\s*$", re.MULTILINE)


def finish(module: str, symbol: str, name: str) -> str:
    """Complete the module: distinct metadata, what library functions promise, and the entry point.

    The entry point takes the address of a counter, the units of work, the units of a chunk, and behind them the
    argument slots. It draws chunks from the counter, which all threads of a launch share, until none is left; without a
    counter it does all the work alone.
    """

    def distinct(match: re.Match[str]) -> str:
        node, kind, rest = match.groups()
        return f"{node} = distinct !{{ }}" if kind == "parallel" else f"{node} = distinct !{{ {node}, {rest} }}"

    module = _METADATA.sub(distinct, module)
    module = _DECLARE.sub(lambda match: match[1] if ' @"llvm.' in match[1] else f"{match[1]} #9000", module)
    module = re.sub(rf'^define (.*@"?{re.escape(symbol)}"?\()', r"define internal \1", module, flags=re.MULTILINE)
    entry = _ENTRY.replace("@NAME", f'@"{name}"').replace("@KERNEL", f'@"{symbol}"')
    width = vector_bits()
    return module + entry.replace("@WIDTH", f'"prefer-vector-width"="{width}"' if width else "")


_ENTRY = """
define void @NAME(ptr %call, ptr noalias %scratch) #9001 {
entry:
  %result = alloca ptr
  %error = alloca ptr
  %own = alloca i64
  store i64 0, ptr %own
  %shared = load ptr, ptr %call
  %alone = icmp eq ptr %shared, null
  %counter = select i1 %alone, ptr %own, ptr %shared
  %total_at = getelementptr i64, ptr %call, i64 1
  %total = load i64, ptr %total_at
  %chunk_at = getelementptr i64, ptr %call, i64 2
  %chunk = load i64, ptr %chunk_at
  %args = getelementptr i64, ptr %call, i64 3
  br label %next
next:
  %begin = atomicrmw add ptr %counter, i64 %chunk monotonic
  %more = icmp slt i64 %begin, %total
  br i1 %more, label %work, label %done
work:
  %stop = add i64 %begin, %chunk
  %last = icmp slt i64 %stop, %total
  %end = select i1 %last, i64 %stop, i64 %total
  %status = call i32 @KERNEL(ptr %result, ptr %error, i64 %begin, i64 %end, ptr %args, ptr %scratch)
  br label %next
done:
  ret void
}

attributes #9000 = { nounwind willreturn memory(none) }
attributes #9001 = { nounwind @WIDTH }
"""
