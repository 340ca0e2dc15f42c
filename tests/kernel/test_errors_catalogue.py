"""Mistakes in kernels and what is said about them: the message, what to write instead, the line and the caret.

Each case is the body of a kernel. A comment of carets stands under the text that the error must point at; under the
first column of a line the comment's own ``#`` counts as one of them.
"""

import importlib.util
import itertools
import re
import textwrap

import numpy as np
import pytest

import xpu as xp
from xpu.backend import DeviceInfo
from xpu.kernel import ir

DEVICE = DeviceInfo("test device", "test", "cpu")
NARROW = DeviceInfo("narrow device", "test", "gpu", fp64=False, atomics64=False)

HEADER = """\
import math
import numpy as np
import xpu as xp

TILE = 16
DATA = np.zeros(3)
{outside}

@xp.kernel
def k(a, b, m, z, u, d, s, n, out):
    i = xp.global_id(0)
"""


def array(dtype, ndim, contiguous=True):
    return ir.ArrayType(np.dtype(dtype), ndim, contiguous)


TYPES = [
    array("f4", 1),
    array("i4", 1),
    array("f4", 2),
    array("c8", 1),
    array("u1", 1),
    array("f2", 1),
    float,
    int,
    array("f4", 1),
]
_numbers = itertools.count()


def mistake(tmp_path, body, outside="", info=DEVICE, header=HEADER, types=TYPES):
    """Return the error that a kernel with this body gives, and where its marked text is."""
    text = (
        header.format(outside=textwrap.dedent(outside))
        + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        + "\n"
    )
    path = tmp_path / f"mistake_{next(_numbers)}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    with pytest.raises(xp.XpuError) as caught:
        spec.loader.exec_module(module)
        module.k.specialize(types, info)
    marks = [(number, re.search(r"#?\^+", line)) for number, line in enumerate(text.splitlines(), 1)]
    marks = [(number - 1, found.span()) for number, found in marks if found and "#" in text.splitlines()[number - 1]]
    return caught.value, str(path), text.splitlines(), marks[0]


def check(tmp_path, body, says, advises, kind, **options):
    error, path, lines, (line, (start, end)) = mistake(tmp_path, body, **options)
    message = str(error)
    assert isinstance(error, kind), message
    assert says in message
    assert advises in message
    source = lines[line - 1]
    shown = message.splitlines()
    assert f'File "{path}", line {line}' in message, message
    place = next(n for n, text in enumerate(shown) if f"line {line}" in text and path in text)
    assert shown[place + 1].strip() == source.strip()
    caret = shown[place + 2]
    indent = len(source) - len(source.lstrip())
    assert caret.index("^") - 4 == start - indent, message
    assert caret.strip() == "^" * (end - start), message
    if hasattr(error, "loc"):
        assert (error.loc.line, error.loc.col, error.loc.end_col) == (line, start, end)


SYNTAX = {
    "import": ("import os\n#^^^^^^^^", "imports are not part", "at the top of the file"),
    "try": (
        "try:\n#^^^\n    out[i] = 1\nexcept ValueError:\n    pass",
        "exceptions are not part",
        "test for the case with `if`",
    ),
    "raise": ("raise ValueError('x')\n#^^^^^^^^^^^^^^^^^^^^", "exceptions are not part", "use `assert"),
    "with": ("with a:\n#^^^^^^\n    pass", "`with` is not part", "around the launch"),
    "lambda": ("f = lambda x: x\n#   ^^^^^^^^^^^", "lambda functions are not part", "@xp.func helper"),
    "nested function": ("def g(x):\n#^^^^\n    return x", "functions inside of functions", "decorate it with @xp.func"),
    "class": ("class C:\n#^^^^^^^\n    pass", "classes are not part", "use tuples"),
    "list": ("v = [1, 2]\n#   ^^^^^^", "lists are not part", "xp.private_array"),
    "list comprehension": (
        "v = [x for x in a]\n#   ^^^^^^^^^^^^^^",
        "comprehensions are not part",
        "for loop over range",
    ),
    "generator": ("v = sum(x for x in a)\n#      ^^^^^^^^^^^^^^", "generator expressions", "for loop over range"),
    "dictionary": ("v = {1: 2}\n#   ^^^^^^", "dictionaries are not part", "`if`/`elif`"),
    "set": ("if i in {1, 2}:\n#       ^^^^^^\n    out[i] = 1", "sets are not part", "compare with each value"),
    "f-string": ('print(f"{i}")\n#     ^^^^^^', "f-strings are not part", "give the parts to print"),
    "del": ("x = 1\ndel x\n#^^^^", "`del` is not part", "names end with the kernel"),
    "walrus": ("if (v := a[i]) > 0:\n#   ^^^^^^^^^\n    out[i] = v", ":= is not part", "assign on a line of its own"),
    "match": ("match i:\n#^^^^^^^\n    case 0:\n        pass", "`match` is not part", "write `if`/`elif`"),
    "global": ("global TILE\n#^^^^^^^^^^", "`global` is not part", "array argument"),
    "yield": ("yield i\n#^^^^^^", "generators are not part", "array argument"),
    "return value": ("return a[i]\n#      ^^^^", "a kernel returns nothing", "write results into an array argument"),
    "while else": (
        "while i < 3:\n    i += 1\nelse:\n    out[i] = 1\n#   ^^^^^^^^^^",
        "`else` of a loop",
        "keep a flag",
    ),
    "matrix product": ("out[i] = m @ a\n#        ^^^^^", "@ is not part", "write the loop over k"),
    "attribute": ("out.value = 1\n#^^^^^^^^", "attributes cannot be assigned", "local name or an array element"),
}

TYPES_AND_MEANING = {
    "slice": ("out[i] = a[1:3]\n#          ^^^", "slices of arrays", "loop over the elements"),
    "ellipsis": ("out[i] = m[..., 0]\n#          ^^^", "... is no index", "one integer for each dimension"),
    "newaxis": ("out[i] = a[None]\n#          ^^^^", "None is no index", "one integer for each dimension"),
    "too many indices": (
        "out[i] = a[i, 0]\n#        ^^^^^^^",
        "'a' has 1 dimension and is indexed with 2",
        "write a[i]",
    ),
    "row as number": ("out[i] = m[i] * 2\n#        ^^^^", "'m' has 2 dimensions", "take one element: m[i, j]"),
    "array as number": ("out[i] = a + 1\n#        ^", "'a' is a", "take one element: a[i]"),
    "row assigned": ("m[i] = 0\n#^^^", "'m' needs 2 indices", "element by element"),
    "float index": ("out[i] = a[i / 2]\n#          ^^^^^", "an index of 'a' is float32", "int(x)"),
    "mask index": ("out[i] = a[a[i] > 0]\n#          ^^^^^^^^", "an index of 'a' is bool", "if mask[i]"),
    "constant index of local memory": (
        "t = xp.local_array(4, xp.float32)\nout[i] = t[4]\n#          ^",
        "index 4 is outside of an axis of 4 elements of 't'",
        "",
    ),
    "undefined name": ("out[i] = q\n#        ^", "'q' is not defined", "no global of the file"),
    "read before assigned": (
        "out[i] = q\n#        ^\nq = 1.5 * a[i]\nq = 2",
        "'q' is read before it has a value",
        "q = 0",
    ),
    "global array": ("out[i] = DATA[i]\n#        ^^^^", "'DATA' is an array from outside", "pass arrays as arguments"),
    "plain function": (
        "out[i] = plain(a[i])\n#        ^^^^^^^^^^^",
        "'plain' is a plain Python function",
        "decorate it with @xp.func",
    ),
    "kernel in kernel": ("other(a)\n#^^^^^^^", "a kernel cannot call the kernel 'other'", "@xp.func helper"),
    "NumPy function": ("out[i] = np.dot(a, a)\n#        ^^^^^^^^^^^^", "'dot' is not part", "xp.math functions"),
    "array method": (
        "out[i] = a.sum()\n#        ^^^^^^^",
        "arrays in kernels have no method 'sum'",
        "outside of kernels",
    ),
    "array attribute": ("out[i] = m.T[i, 0]\n#        ^^^", "no attribute 'T'", ".shape, .size, .ndim and .dtype"),
    "number attribute": (
        "out[i] = a[i].imaginary\n#        ^^^^^^^^^^^^^^",
        "no attribute 'imaginary'",
        ".real, .imag",
    ),
    "module attribute": ("out[i] = xp.math.expo(a[i])\n#        ^^^^^^^^^^^^", "no attribute 'expo'", ""),
    "for over an array": (
        "for v in a:\n#        ^\n    out[i] += v",
        "runs over range(...)",
        "for k in range(a.shape[0])",
    ),
    "range of floats": (
        "for k in range(s):\n#              ^\n    out[i] += k",
        "range counts with integers",
        "int(x)",
    ),
    "step zero": ("for k in range(0, 9, 0):\n#                    ^\n    pass", "the step of this range is 0", ""),
    "static range of a variable": (
        "for k in xp.static_range(n):\n#                        ^\n    pass",
        "the bound of static_range must be known when the kernel is compiled",
        "a constant from outside",
    ),
    "break out of an unrolled loop": (
        "for k in xp.static_range(3):\n    if a[k] > 0:\n        break\n#       ^^^^^",
        "`break` cannot leave an unrolled loop",
        "use range(...)",
    ),
    "shape of a variable": (
        "t = xp.local_array(n, xp.float32)\n#                  ^",
        "the shape of local_array must be known",
        "use a literal",
    ),
    "no dtype": ("t = xp.local_array(4)\n#   ^^^^^^^^^^^^^^^^^", "local_array takes a shape and a dtype", "xp.float32"),
    "negative shape": ("t = xp.private_array(-1, xp.int32)\n#                    ^^", "positive integers, not -1", ""),
    "axis": ("j = xp.global_id(3)\n#                ^", "the axis of global_id is 0, 1 or 2, not 3", ""),
    "no axis": ("j = xp.global_id()\n#   ^^^^^^^^^^^^^^", "global_id takes one axis", "xp.global_id(0)"),
    "type conflict": (
        "v = a[i]\nv = m[0, 0] > 0\n#^^^^^^^^^^^^^^",
        "'v' becomes bool here, but was float32 before",
        "it was float32 here",
    ),
    "conflict of loop variable": (
        "v = b[i]\nfor k in range(3):\n    v = k\n#   ^^^^^",
        "'v' becomes int64 here, but was int32 before",
        "write xp.int32(...)",
    ),
    "int and float conflict": (
        "v = b[i]\nv = 0.5\n#^^^^^^",
        "'v' becomes Python float here, but was int32 before",
        "a name has one type",
    ),
    "two arrays for one name": (
        "row = m[0]\nif s > 0:\n    row = a\n#   ^^^^^^^",
        "one array in one place and another array here",
        "use an index",
    ),
    "array by condition": (
        "v = a if s > 0 else out\n#   ^^^^^^^^^^^^^^^^^^^",
        "cannot be chosen at run time",
        "choose elements",
    ),
    "too large a constant": ("out[i] = u[i] + 300\n#        ^^^^^^^^^^", "300 does not fit into uint8", "wider type"),
    "uint64 and int64": (
        "v = xp.uint64(i) + i\n#   ^^^^^^^^^^^^^^^^",
        "uint64 and int64 have no common integer type",
        "convert one of them",
    ),
    "bits of floats": ("out[i] = a[i] & 1\n#        ^^^^^^^^", "& works on integers", "xp.int32(...)"),
    "caret for power": ("out[i] = a[i] ^ 2\n#        ^^^^^^^^", "^ works on integers", "a power is written **"),
    "sum of bools": (
        "v = (a[i] > 0) + (s > 0)\n#   ^^^^^^^^^^^^^^^^^^^^",
        "+ of two bools",
        "for counting convert first",
    ),
    "negative power": ("v = b[i] ** -2\n#   ^^^^^^^^^^", "integers to negative powers", "xp.float32(n) ** -1"),
    "and of numbers": ("v = b[i] and s > 0\n#   ^^^^", "`and` gives a bool in kernels", "compare it (x != 0)"),
    "complex order": ("if z[i] > 0:\n#  ^^^^^^^^\n    out[i] = 1", "complex numbers have no order", "abs(z)"),
    "complex stored as real": ("out[i] = z[i]\n#^^^^^^^^^^^^", "a complex number does not become float32", "z.real"),
    "complex function": ("v = xp.math.erf(z[i])\n#   ^^^^^^^^^^^^^^^^^", "erf is not defined for complex", "z.real"),
    "floor division of complex": ("v = z[i] // 2\n#   ^^^^^^^^^", "// is not defined for complex numbers", ""),
    "division by constant zero": ("v = 1 // 0\n#   ^^^^^^", "division by zero", "the divisor is the constant 0"),
    "too few arguments": ("v = xp.math.atan2(a[i])\n#   ^^^^^^^^^^^^^^^^^^^", "atan2 takes 2 arguments, not 1", ""),
    "bits of a float": (
        "v = xp.math.popcount(a[i])\n#   ^^^^^^^^^^^^^^^^^^^^^^",
        "popcount is not defined for float32",
        "xp.uint32",
    ),
    "unpacking": (
        "x, y = (1, 2, 3)\n#^^^^^^^^^^^^^^^",
        "3 values cannot be unpacked into 2 names",
        "one name for each",
    ),
    "unpacking a number": ("x, y = a[i]\n#^^^^^^^^^^", "float32 cannot be unpacked", "only tuples can"),
    "tuple index": ("t = (1, 2)\nout[i] = t[2]\n#          ^", "index 2 is outside of a tuple of 2", ""),
    "tuple index of a variable": (
        "t = (s, n)\nout[i] = t[i]\n#          ^",
        "the index of a tuple must be known",
        "literal",
    ),
    "table indexed at run time": (
        "out[i] = TABLE[i]\n#              ^",
        "the index of a tuple must be known",
        "pass the values as an array",
    ),
    "dictionary from outside": (
        "out[i] = WIDTHS['a']\n#        ^^^^^^",
        "dictionaries are not part",
        "outside of the kernel",
    ),
    "launch in a kernel": ("other[4](a)\n#^^^^", "a kernel cannot launch a kernel", "@xp.func helper"),
    "assigned tuple item": ("t = (s, n)\nt[0] = 1\n#^^^", "items of a tuple cannot be assigned", "xp.private_array"),
    "atomic on float16": ("xp.atomic_add(d, i, 1)\n#             ^", "atomics exist for 32 and 64 bits", "int32"),
    "atomic without index": (
        "xp.atomic_add(b, 1)\n#^^^^^^^^^^^^^^^^^^",
        "atomic_add takes 3 arguments",
        "(array, index, value)",
    ),
    "atomic with two indices": (
        "xp.atomic_add(m, i, 0, 1)\n#^^^^^^^^^^^^^^^^^^^^^^^^",
        "atomic_add takes 3 arguments, not 4",
        "a tuple: (i, j)",
    ),
    "called dtype": (
        "out[i] = a.dtype(0)\n#        ^^^^^^^^^^",
        "a.dtype is a dtype, and dtypes cannot be called",
        "a.dtype.type(x)",
    ),
    "misspelt word": (
        "out[i] = xp.global_idx(0)\n#        ^^^^^^^^^^^^^",
        "has no attribute 'global_idx'",
        "did you mean 'global_id'?",
    ),
    "atomic on a number": (
        "xp.atomic_add(b[i], 0, 1)\n#             ^^^^",
        "the first argument of atomic_add is an array",
        "array, index",
    ),
    "atomic on private memory": (
        "p = xp.private_array(4, xp.int32)\nxp.atomic_add(p, 0, 1)\n#             ^",
        "atomic_add on a private array",
        "plain assignment is enough",
    ),
    "atomic bits of floats": ("xp.atomic_or(a, i, 1)\n#            ^", "bits are combined in integers only", ""),
    "lanes": ("v = xp.vload(a, i, 3)\n#                  ^", "a vector has 2, 4, 8 or 16 lanes, not 3", ""),
    "lanes that differ": (
        "v = xp.vload(a, i, 4) + xp.vload(a, i, 8)\n#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "a vector of 4 lanes meets one of 8",
        "",
    ),
    "vector as condition": (
        "v = xp.vload(a, i, 4)\nif v > 0:\n#  ^^^^^\n    out[i] = 1",
        "a vector has one truth for each lane",
        "xp.where",
    ),
    "vector in an element": (
        "out[i] = xp.vload(a, i, 4)\n#^^^^^^^^^^^^^^^^^^^^^^^^^",
        "stored to one element",
        "xp.vstore",
    ),
    "lane that is not there": ("v = xp.vload(a, i, 4)\nout[i] = v[4]\n#          ^", "lane 4 is outside", ""),
    "assigned lane": (
        "v = xp.vload(a, i, 4)\nv[0] = 1\n#^^^",
        "a lane of a vector cannot be assigned",
        "build a new vector",
    ),
    "helper arguments": (
        "v = helper(a[i])\n#   ^^^^^^^^^^^^",
        "helper 'helper' misses the argument 'y'",
        "helper(x, y)",
    ),
    "helper keyword": (
        "v = helper(a[i], w=1)\n#                  ^",
        "helper 'helper' has no argument 'w'",
        "helper(x, y)",
    ),
    "helper without value": ("v = silent(a)\n#   ^^^^^^^^^", "this call returns nothing", "on a line of its own"),
    "recursion": ("v = recursive(n)\n", "", ""),
    "reinterpret": (
        "v = xp.math.reinterpret(a[i], xp.int64)\n#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "has 32 bits and int64 has 64",
        "same width",
    ),
    "string as number": ("out[i] = 'text'\n#^^^^^^^^^^^^^^", "a string is used where a number is wanted", ""),
    "barrier under a condition": (
        "if a[i] > 0:\n    xp.barrier()\n#   ^^^^^^^^^^^^",
        "some work-items of a group may not come to this barrier",
        "move the barrier out of the branch",
    ),
    "barrier after a return": (
        "if i >= n:\n    return\nxp.barrier()\n#^^^^^^^^^^^",
        "some work-items of a group may not come to this barrier",
        "replace an early return by `if`",
    ),
    "barrier in a loop of its own length": (
        "for k in range(b[i]):\n    xp.barrier()\n#   ^^^^^^^^^^^^",
        "some work-items of a group may not come to this barrier",
        "this differs between work-items",
    ),
    "keyword of print": ("print(i, end='')\n#            ^^", "print takes no keyword arguments", ""),
    "isinstance": (
        "if isinstance(i, int):\n#  ^^^^^^^^^^^^^^^^^^\n    pass",
        "isinstance is not part",
        "compare dtypes",
    ),
    "is": ("if a[i] is s:\n#  ^^^^^^^^^\n    pass", "`is` compares objects", "=="),
    "calling a number": ("v = a[i](2)\n#   ^^^^", "float32 cannot be called", "[ ]"),
    "calling an array": ("v = a(i)\n#   ^", "cannot be called", "[ ]"),
    "dtype that is none": (
        "t = xp.private_array(4, 'text')\n#                       ^^^^^^",
        "is not a dtype of kernels",
        "float32",
    ),
    "len of a number": ("v = len(a[i])\n#       ^^^^", "float32 cannot be unpacked", ""),
    "max of an array": ("v = max(a)\n#   ^^^^^^", "max of an array is not part", "loop over its elements"),
    "counter assigned in an unrolled loop": (
        "for k in xp.static_range(3):\n    k = 2\n#   ^^^^^",
        "'k' counts a static_range loop",
        "use another name",
    ),
    "gcd of floats": (
        "v = math.gcd(n, a[i])\n#   ^^^^^^^^^^^^^^^^^",
        "gcd is of integers, and this is float32",
        "int(x)",
    ),
    "local memory as a number": (
        "t = xp.local_array((2, 2), xp.float32)\nout[i] = t[0] + 1\n#        ^^^^",
        "a local array of float32 with 1 dimension",
        "take one element",
    ),
}
del TYPES_AND_MEANING["recursion"]

OUTSIDE = """
TABLE = (1, 2, 3)
WIDTHS = {"a": 1}

def plain(x):
    return x

@xp.kernel
def other(a):
    a[xp.global_id(0)] = 1

@xp.func
def helper(x, y):
    return x + y

@xp.func
def silent(x):
    x[0] = 1
"""


@pytest.mark.parametrize("name", SYNTAX)
def test_refused_syntax(tmp_path, name):
    body, says, advises = SYNTAX[name]
    check(tmp_path, body, says, advises, xp.KernelCompileError)


@pytest.mark.parametrize("name", TYPES_AND_MEANING)
def test_refused_meaning(tmp_path, name):
    body, says, advises = TYPES_AND_MEANING[name]
    check(tmp_path, body, says, advises, (xp.KernelCompileError, xp.KernelTypeError), outside=OUTSIDE)


def test_the_catalogue_is_long_enough():
    assert len(SYNTAX) + len(TYPES_AND_MEANING) >= 100


def test_errors_in_helpers_name_the_call(tmp_path):
    outside = """
    @xp.func
    def broken(x):
        return x.T
    """
    error, path, lines, _ = mistake(tmp_path, "out[i] = broken(a[i])\n#^^", outside=outside)
    message = str(error)
    inner = next(n for n, line in enumerate(lines, 1) if "return x.T" in line)
    outer = next(n for n, line in enumerate(lines, 1) if "broken(a[i])" in line)
    assert f"File \"{path}\", line {inner}, in helper 'broken'" in message
    assert f"called as broken(...) (File \"{path}\", line {outer}, in kernel 'k')" in message
    assert error.loc.line == inner


def test_recursion_is_refused(tmp_path):
    outside = """
    @xp.func
    def first(x):
        return second(x)

    @xp.func
    def second(x):
        return first(x) + 1
    """
    error, _, lines, _ = mistake(tmp_path, "out[i] = first(a[i])\n#^^", outside=outside)
    assert "helper 'first' calls itself, directly or through another" in str(error)
    assert "write the recursion as a loop" in str(error)
    assert lines[error.loc.line - 1].strip() == "return first(x) + 1"


def test_returns_of_a_helper_that_do_not_agree(tmp_path):
    outside = """
    @xp.func
    def mixed(x, k):
        if x > 0:
            return x
        return k
    """
    error, *_ = mistake(tmp_path, "out[i] = mixed(a[i], b[i])\n#^^", outside=outside)
    assert "this helper returns int32 here and float32 in another place" in str(error)
    assert "float32 is returned here" in str(error)


def test_a_helper_that_may_reach_its_end(tmp_path):
    outside = """
    @xp.func
    def partial(x):
        if x > 0:
            return x
    """
    error, *_ = mistake(tmp_path, "out[i] = partial(a[i])\n#^^", outside=outside)
    assert "returns a value on some ways and reaches its end on others" in str(error)


def test_float64_on_a_device_without_it(tmp_path):
    error, *_ = mistake(tmp_path, "v = xp.float64(a[i]) * 2\n#   ^^^^^", info=NARROW)
    assert isinstance(error, xp.UnsupportedDTypeError)
    assert "this is computed in float64, and narrow device has no float64" in str(error)
    assert "v = xp.float64(a[i]) * 2" in str(error)


def test_wide_atomics_on_a_device_without_them(tmp_path):
    body = "t = xp.local_array(4, xp.int64)\nxp.atomic_add(t, 0, 1)\n#^^"
    error, *_ = mistake(tmp_path, body, info=NARROW)
    assert isinstance(error, xp.UnsupportedDTypeError)
    assert "atomic_add on int64: narrow device has no 64-bit atomics" in str(error)


def test_columns_count_characters(tmp_path):
    check(
        tmp_path,
        'größe = "ä" if n > 0 else q\n#                         ^',
        "'q' is not defined",
        "",
        xp.KernelCompileError,
    )


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("*args", "*args: a kernel has a fixed list"),
        ("**kw", "**kw: a kernel"),
        ("a, *, b", "keyword-only argument 'b'"),
    ],
)
def test_parameters(tmp_path, parameters, says):
    path = tmp_path / "parameters.py"
    path.write_text(f"import xpu as xp\n\n@xp.kernel\ndef k({parameters}):\n    pass\n")
    spec = importlib.util.spec_from_file_location("parameters", path)
    with pytest.raises(xp.KernelCompileError, match=re.escape(says)):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_no_source():
    names = {"xp": xp}
    with pytest.raises(xp.KernelCompileError, match=r"has no source text.*\n.*\n?.*put it into a \.py file"):
        exec("@xp.kernel\ndef k(a):\n    a[xp.global_id(0)] = 1\n", names)


def test_lambda_and_class():
    with pytest.raises(xp.KernelCompileError, match="is a lambda"):
        xp.kernel(lambda a: None)
    with pytest.raises(xp.KernelCompileError, match="takes a function made by `def`"):
        xp.kernel(int)
