"""What the printed text looks like, in each C dialect; no device is needed."""

from __future__ import annotations

import re

import numpy as np
import pytest

from xpu.backend import DeviceInfo
from xpu.errors import KernelCompileError, UnsupportedDTypeError
from xpu.kernel import abi, ir
from xpu.kernel.intrinsics import TABLE
from xpu.kernel.printers import print_kernel
from xpu.kernel.printers.c_text import group, is_atom, ungroup
from xpu.kernel.printers.dialects import DIALECTS, spelled

from .nodes import (
    F32,
    I32,
    I64,
    add,
    array,
    binary,
    call,
    cast,
    const,
    elementwise,
    function,
    gid,
    kernel,
    lanewise,
    load,
    mul,
    scalar,
    var,
)

LANGUAGES = ["opencl", "cuda", "hip"]
GPU = DeviceInfo("a card", "somebody", "gpu", fp64=True)


def text_of(node, language="opencl", debug=False, info=GPU):
    return print_kernel(node, language, info, debug).text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("debug", [False, True])
def test_the_signature_is_the_abis(language, debug):
    params = [array("a", np.float32, 2, contiguous=False), ir.Param("k", F32), array("b", np.int8, 1, written=True)]
    node = kernel("sign", params, [ir.Store("b", [gid(0)], const(1, scalar(np.int8)))], rank=2)
    text = text_of(node, language, debug)
    head = text[text.index("xpu_sign(") :]
    printed = [line.strip(" ,").split()[-1].lstrip("*") for line in head[: head.index(") {")].split("\n")[1:]]
    expected = {"a": "v_a", "a_offset": "o_a", "k": "v_k", "b": "v_b", "b_offset": "o_b", "xpu_error": "xpu_error"}
    wanted = []
    for parameter in abi.parameters(node, debug):
        name = parameter.name
        match = re.fullmatch(r"(\w+)_([ns]\d)", name)
        wanted.append(f"{match[2]}_{match[1]}" if match else expected.get(name, name))
    assert printed == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_each_language(language):
    tile = ir.ArrayDecl("tile", ir.ArrayType(np.dtype(np.float32), 1, space="local", shape=(8,)))
    body = [ir.Store("tile", [gid()], const(0.5, F32)), ir.Barrier(), ir.Store("y", [gid()], load("tile", gid()))]
    text = text_of(kernel("words", [array("y", written=True)], body, arrays=[tile]), language)
    words = {
        "opencl": [
            "__kernel void xpu_words",
            "__local float v_tile[8]",
            "barrier(",
            "get_global_id(0)",
            "FP_CONTRACT OFF",
        ],
        "cuda": ['extern "C" __global__ void xpu_words', "__shared__ float v_tile[8]", "__syncthreads()", "blockIdx.x"],
        "hip": [
            'extern "C" __global__ void xpu_words',
            "__shared__",
            "__syncthreads()",
            "#pragma clang fp contract(off)",
        ],
    }
    for word in words[language]:
        assert word in text
    assert "return;" not in text[text.index("xpu_words(") :]  # with barriers every item stays


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_double_in_a_float32_kernel(language):
    floats = [name for name, row in TABLE.items() if row.rule == "float" and row.arity == 1 and "f" in row.kinds]
    formulas = [lambda x, f=f: call(f, x) for f in floats]
    formulas += [lambda x: mul(x, 0.1), lambda x: binary("floordiv", x, const(3.0, F32)), lambda x: cast(x, np.int64)]
    formulas += [lambda x: add(x, float("inf")), lambda x: binary("mod", x, const(float("nan"), F32))]
    formulas += [lambda x: cast(x, np.float16)]
    text = text_of(elementwise("single", [np.float32], formulas), language)
    assert "double" not in text.replace("__longlong_as_double", "")
    assert not re.search(r"(?<![\w.])\d+\.\d*(e[+-]?\d+)?(?![\w.])", re.sub(r"//.*", "", text))
    assert "fp64" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_float64_needs_a_device_that_has_it(language):
    node = elementwise("wide", [np.float64], [lambda x: add(x, 1.0)])
    assert "double" in text_of(node, language)
    with pytest.raises(UnsupportedDTypeError, match=r"float64.*a card"):
        text_of(node, language, info=DeviceInfo("a card", "x", "gpu", fp64=False))


@pytest.mark.parametrize("language", LANGUAGES)
def test_helpers_and_the_prelude_come_only_when_used(language):
    plain = text_of(elementwise("plain", [np.float32], [lambda x: add(x, 1.0)]), language)
    assert "xpu_vec" not in plain and "floordiv" not in plain and "EXTENSION" not in plain
    used = text_of(elementwise("used", [np.int32], [lambda x: binary("floordiv", x, x)]), language)
    assert used.count("xpu_floordiv_i32(") == 2
    lanes = text_of(lanewise("lanes", [np.float32], 4, [lambda x: add(x, x)]), language)
    assert ("vload4" in lanes) if language == "opencl" else ("xpu_vec<float, 4>" in lanes)


def test_extensions_only_where_they_are_used():
    atomic = [ir.ExprStmt(ir.Atomic(I64, "add", "y", [const(0)], [const(1)]))]
    text = text_of(kernel("wide", [array("y", np.int64, written=True)], atomic))
    assert "cl_khr_int64_base_atomics" in text and "fp64" not in text
    assert "cl_khr_fp64" in text_of(elementwise("d", [np.float64], [lambda x: add(x, x)]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_index_arithmetic_is_plain_and_other_arithmetic_wraps(language):
    i = var("i")
    params = [array("x", np.int32, 2), array("y", np.int32, 2, written=True)]
    value = load("x", add(i, 1), i, type_=I32)
    body = [ir.Assign("i", gid()), ir.Store("y", [i, i], mul(value, value))]
    text = text_of(kernel("wrap", params, body), language)
    line = next(line for line in text.split("\n") if "v_y[" in line)
    assert "v_i + 1" in line.replace("(", "").replace(")", "")
    assert "unsigned int" in line or "(uint)" in line


def test_known_ranges_need_no_helper():
    """A global id divided by a positive constant, and shifted by one."""
    formulas = [lambda x: binary("floordiv", gid(), const(10)), lambda x: binary("mod", gid(), const(10))]
    formulas += [lambda x: binary("shr", gid(), const(3))]
    text = text_of(elementwise("ranges", [np.int64], formulas))
    assert "xpu_" not in text.replace("xpu_ranges", "")
    assert "/ 10L" in text and "% 10L" in text and ">> 3L" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_users_names_and_lines_are_there(language):
    loc = ir.Loc("/home/user/my kernels.py", 12, 4, 9)
    body: list[ir.Stmt] = [
        ir.Assign("total", add(gid(), 1), loc=loc),
        ir.Store("out", [gid()], var("total"), loc=ir.Loc(loc.file, 13)),
    ]
    node = kernel("named", [array("out", np.int64, written=True)], body, loc=loc)
    text = text_of(node, language)
    assert "from my kernels.py:12" in text and "/home/user" not in text
    assert re.search(r"v_total = .*;  // line 12", text) and "// line 13" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_atomics_that_are_impossible_are_refused(language):
    for dtype, op in ((np.int16, "add"), (np.complex64, "add"), (np.float32, "xor"), (np.bool_, "max")):
        type_ = scalar(dtype)
        body = [ir.ExprStmt(ir.Atomic(type_, op, "y", [const(0)], [const(1, type_)]))]
        with pytest.raises(KernelCompileError, match="atomic"):
            text_of(kernel("no", [array("y", dtype, written=True)], body), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_local_memory_of_helpers_is_declared_in_the_kernel(language):
    tile = ir.ArrayDecl("t", ir.ArrayType(np.dtype(np.int32), 1, space="local", shape=(4,)))
    inner = function("inner", [], None, [ir.Store("t", [const(0)], const(1, I32))], arrays=[tile])
    outer = function("outer", [], None, [ir.ExprStmt(ir.CallFunction(I64, "inner", []))])
    body = [ir.ExprStmt(ir.CallFunction(I64, "outer", [])), ir.Store("y", [gid()], const(1, I32))]
    text = text_of(kernel("hoist", [array("y", np.int32, written=True)], body, functions=[inner, outer]), language)
    entry = text[text.index("xpu_hoist(") :]
    assert "l_inner_t[4];" in entry and "l_inner_t[4];" not in text[: text.index("xpu_hoist(")]
    assert "f_inner(l_inner_t)" in text and "f_outer(l_inner_t)" in entry


def test_every_function_of_the_table_is_spelled():
    for language in DIALECTS:
        assert set(TABLE) <= set(spelled(language)), language


def test_printing_twice_gives_the_same_text():
    node = elementwise("same", [np.float32], [lambda x: call("exp", x), lambda x: binary("mod", x, x)])
    assert text_of(node) == text_of(node)


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("x", True), ("1.5f", True), ("f(a, b)", True), ("a[i + 1]", True), ("(a + b)", True), ("v.s0", True),
        ("(a).x", True), ("a + b", False), ("(a) + (b)", False), ("(int)x", False), ("-x", False),
        ("f(a) * g(b)", False),
    ],
)  # fmt: skip
def test_parentheses(text, atom):
    assert is_atom(text) is atom
    assert group(text) == (text if atom else f"({text})")
    assert ungroup("((a + b))") == "a + b" and ungroup("(a) + (b)") == "(a) + (b)"
