"""Functions that a printer lacks become calls of kernel-language functions; helpers for kernels made by other means."""

import numpy as np
import pytest

import xpu as xp
from xpu.backend import DeviceInfo
from xpu.kernel import ir
from xpu.kernel.frontend import expand
from xpu.kernel.frontend.definite import zero_unassigned
from xpu.kernel.stdlib import FAST

DEVICE = DeviceInfo("test device", "test", "cpu")
F32, C64 = np.dtype("f4"), np.dtype("c8")


def array(dtype):
    return ir.ArrayType(np.dtype(dtype), 1)


@xp.kernel
def exponential(x, out):
    i = xp.global_id(0)
    out[i] = xp.math.exp(x[i]) + abs(xp.math.exp(x[i]))


def calls(kernel):
    return {node.function for node in ir.all_bodies(kernel) if isinstance(node, ir.Call)}


def lacks_complex(function, dtype):
    return dtype.kind == "c" and function not in ("real", "imag", "conj")


def test_nothing_is_missing():
    typed = exponential.specialize([array("f4"), array("f4")], DEVICE)
    assert expand(typed, lacks_complex, DEVICE) is typed


def test_complex_functions():
    typed = exponential.specialize([array("c8"), array("c8")], DEVICE)
    before = repr(typed)
    expanded = expand(typed, lacks_complex, DEVICE)
    assert repr(typed) == before
    called = [node for node in ir.walk(expanded.body) if isinstance(node, ir.CallFunction)]
    assert [node.function.split("_")[0] for node in called] == ["exp", "absolute", "exp"]
    assert called[0].type == ir.Scalar(C64)
    assert called[1].type == ir.Scalar(F32)
    assert called[0].function == called[2].function
    known = [f.name for f in expanded.functions]
    assert len(set(known)) == len(known)
    for position, function in enumerate(expanded.functions):
        for node in ir.walk(function.body):
            if isinstance(node, ir.CallFunction):
                assert node.function in known[:position], "callees come before callers"
    for node in ir.all_bodies(expanded):
        if isinstance(node, ir.Call):
            assert not lacks_complex(node.function, node.args[0].type.dtype)


def test_functions_that_need_missing_functions():
    typed = exponential.specialize([array("c8"), array("c8")], DEVICE)

    def lacks(function, dtype):
        return lacks_complex(function, dtype) or function == "exp"

    assert "exp" in calls(expand(typed, lacks_complex, DEVICE))
    assert "exp" not in calls(expand(typed, lacks, DEVICE, FAST))


@xp.func
def branchy(x):
    if x > 0:
        return x
    return x * 0


@xp.func
def smooth(x):
    return x * x + 1


@pytest.mark.parametrize("function", [branchy, smooth])
def test_vectors(function):
    kind = ir.Vector(F32, 4)
    call = ir.Call(kind, "erf", [ir.Load(kind, "x", [ir.Const(ir.INT64, 0)])])
    kernel = ir.Kernel("made", [ir.Param("x", array("f4"))], {}, [], [ir.Store("x", [ir.Const(ir.INT64, 0)], call)])
    expanded = expand(kernel, lambda name, dtype: name == "erf", DEVICE, {"erf": function})
    store = expanded.body[0]
    assert isinstance(store.value, ir.CallFunction)
    assert store.value.type == kind
    assert store.value.function == expanded.functions[-1].name
    assert expanded.functions[-1].result == kind
    by_lane = [node for node in ir.walk(expanded.functions[-1].body) if isinstance(node, ir.Lane)]
    assert len(by_lane) == (4 if function is branchy else 0)


def test_a_function_that_nobody_has():
    typed = exponential.specialize([array("f4"), array("f4")], DEVICE)
    with pytest.raises(xp.KernelCompileError, match="abs of float32 is not available on this device"):
        expand(typed, lambda name, dtype: name == "abs", DEVICE)


def test_a_function_written_with_itself():
    @xp.func
    def circular(x):
        return xp.math.exp(x * 2)

    typed = exponential.specialize([array("f4"), array("f4")], DEVICE)
    with pytest.raises(xp.KernelCompileError, match="exp of float32 is written with itself"):
        expand(typed, lambda name, dtype: name == "exp", DEVICE, {"exp": circular})


def test_helpers_of_other_kernels():
    functions, result = smooth.specialize([ir.Scalar(F32)], DEVICE)
    assert result == ir.Scalar(F32)
    again, _ = smooth.specialize([np.float32], DEVICE)
    assert again is functions
    other, _ = smooth.specialize([ir.Scalar(np.dtype("f8"))], DEVICE)
    assert other[-1].name != functions[-1].name
    assert functions[-1].name.startswith("smooth_")


def test_helpers_are_named_by_what_they_do():
    def make(factor):
        @xp.func
        def scale(x):
            return x * factor

        return scale

    names = [make(k).specialize([np.float32], DEVICE)[0][-1].name for k in (2, 3, 2)]
    assert names[0] == names[2] != names[1]


def test_a_helper_that_no_function_can_be():
    @xp.func
    def both(x):
        return x, x

    with pytest.raises(xp.KernelCompileError, match="cannot be called as a function"):
        both.specialize([np.float32], DEVICE)


def variable(name):
    return ir.Var(ir.INT64, name)


def test_zeros_for_what_only_some_ways_assign():
    one = ir.Const(ir.INT64, 1)
    flag = ir.Var(ir.BOOL, "flag")
    body = [
        ir.If(flag, [ir.Assign("a", one)], []),
        ir.If(flag, [ir.Assign("b", one)], [ir.Return()]),
        ir.While(ir.Const(ir.BOOL, True), [ir.Assign("c", one), ir.If(flag, [ir.Break()])]),
        ir.Assign("d", ir.Binary(ir.INT64, "add", variable("a"), variable("b"))),
        ir.Assign("d", variable("c")),
    ]
    kernel = ir.Kernel("made", [ir.Param("flag", ir.BOOL)], dict.fromkeys("abcd", ir.INT64), [], body)
    assert zero_unassigned(kernel) is None
    assert next(node.name for node in kernel.body if isinstance(node, ir.Assign)) == "a"
    assert isinstance(kernel.body[1], ir.If)
