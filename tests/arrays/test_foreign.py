"""Functions that are given something else than xpu arrays: never a result of NumPy's, never an error from inside."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import xpu as xp

TAKE_ANYTHING = {"asnumpy", "from_dlpack", "iscomplexobj", "isrealobj"}
FIRST = {"x", "x1", "condition"}
OTHERS = {
    "axis": 0,
    "axis1": 0,
    "axis2": 0,
    "source": 0,
    "destination": 0,
    "shape": (4,),
    "axes": (0,),
    "kth": 1,
    "k": 1,
}
OTHERS |= {"repeats": 2, "repetitions": 2, "shift": 1, "q": 0.5, "sections": 2, "dtype": "float32", "device": "cpu"}
OTHERS |= {"fill_value": 1}


def functions() -> list[str]:
    """Every public function whose first parameter is an array."""
    out = []
    for name in xp.__all__:
        function = getattr(xp, name)
        if inspect.isfunction(function) and name not in TAKE_ANYTHING:
            parameters = list(inspect.signature(function).parameters)
            if parameters and parameters[0] in FIRST:
                out.append(name)
    return out


@pytest.mark.parametrize("value", [np.array([1.0, 2.0, 3.0, 4.0]), [1.0, 2.0, 3.0, 4.0]], ids=["ndarray", "list"])
@pytest.mark.parametrize("name", functions())
def test_what_is_no_xpu_array_is_refused_with_the_way_to_convert_it(name, value):
    function = getattr(xp, name)
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    arguments = [OTHERS.get(p.name, value) for p in required if p.kind is not p.VAR_KEYWORD]
    with pytest.raises(TypeError, match=r"xp\.asarray") as raised:
        function(*arguments)
    assert not isinstance(raised.value, AttributeError)


def test_most_functions_are_looked_at():
    assert len(functions()) > 120


@pytest.mark.parametrize("name", ["concat", "stack", "hstack", "vstack"])
def test_sequences_of_numpy_arrays_are_refused(name):
    with pytest.raises(TypeError, match=r"xp\.asarray"):
        getattr(xp, name)([np.ones(3), np.ones(3)])


@pytest.mark.parametrize("name", ["dot", "outer", "tensordot", "vecdot", "matmul", "add"])
def test_a_numpy_array_beside_an_xpu_array_is_a_mismatch(name):
    x = xp.ones((3, 3))
    with pytest.raises(xp.DeviceMismatchError, match="asarray"):
        getattr(xp, name)(x, np.ones((3, 3)))


def test_what_only_numpy_has_is_said():
    with pytest.raises(AttributeError, match="NumPy has it"):
        xp.char
    with pytest.raises(AttributeError, match="no attribute 'aray'") as raised:
        xp.aray
    assert (raised.value.name, raised.value.obj) == ("aray", xp), "so Python asks: did you mean 'array'?"
    assert not hasattr(xp, "__no_such_protocol__")
