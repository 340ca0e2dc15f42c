"""What the interpreter refuses: indices, races, divergent barriers, reads of what was never written."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from xpu.errors import KernelAssertionError, KernelIndexError, KernelLaunchError, KernelRaceError
from xpu.kernel import ir
from xpu.kernel.interpreter import Block

from .hand import F32, I32, I64, array, binary, const, gid, kernel, lid, load, local, run, store, var

SOURCE = ["def k(a, out):\n", "    i = xp.global_id(0)\n", "    out[i] = a[i + 1]\n", "    out[0] = a[i]\n"]


@pytest.fixture
def file():
    name = "<user's file>"
    linecache.cache[name] = (sum(map(len, SOURCE)), None, SOURCE, name)
    yield name
    del linecache.cache[name]


def ones(n=4, dtype=np.float32):
    return np.ones(n, dtype)


def test_an_index_error_tells_everything(file):
    read = load("a", binary("add", gid(), const(1)), loc=ir.Loc(file, 3, 13, 21))
    node = kernel([array("a"), array("out", written=True)], [store("out", read, gid())], loc=ir.Loc(file, 1))
    with pytest.raises(KernelIndexError) as caught:
        run(node, 4, ones(), ones())
    text = str(caught.value)
    assert "kernel 'k': index 4 is out of range for axis 0 of argument 'a' of shape (4,) (work-item 3)" in text
    assert 'File "<user\'s file>", line 3\n        out[i] = a[i + 1]\n                 ^^^^^^^^' in text
    assert isinstance(caught.value, IndexError)


def test_an_index_in_a_helper_names_the_kernels_argument():
    flat = ir.ArrayType(np.dtype(np.float32), 1)
    function = ir.Function("get", [ir.Param("p", flat)], F32, {}, [], [ir.Return(load("p", const(-1)))])
    call = ir.CallFunction(F32, "get", [ir.ArrayRef(flat, "a")])
    node = kernel([array("a"), array("out", written=True)], [store("out", call, gid())], functions=[function])
    with pytest.raises(KernelIndexError, match=r"index -1 .* argument 'a' \('p' in helper 'get'\)"):
        run(node, 1, ones(), ones())


def test_a_vector_that_reaches_over_the_end():
    four = ir.Vector(np.dtype(np.float32), 4)
    node = kernel([array("a", written=True)], [store("a", load("a", const(1), type_=four), const(0))])
    with pytest.raises(KernelIndexError, match="a vector of 4 lanes at index 1"):
        run(node, 1, ones())


@pytest.mark.parametrize("space", ["local", "private"])
def test_declared_arrays_are_checked_too(space):
    node = kernel([], [store("t", const(1.0, F32), const(2), const(3))], arrays=[local("t", 3, 3, space=space)])
    with pytest.raises(
        KernelIndexError, match=rf"index 3 is out of range for axis 1 of {space} array 't' of shape \(3, 3\)"
    ):
        run(node, 1)


def race_of(body, size=4, local_size=None, declared=(), variables=None, dtype=np.float32):
    node = kernel([array("a", dtype, written=True)], body, variables, list(declared))
    with pytest.raises(KernelRaceError, match="race") as caught:
        run(node, size, ones(8, dtype), local=local_size)
    return str(caught.value)


def test_two_writes(file):
    text = race_of([store("a", load("a", gid()), const(5), loc=ir.Loc(file, 4, 4, 10))])
    assert "work-item 0 writes it and work-item 1 writes it, with no barrier between" in text
    assert "race on element 5 of argument 'a'" in text
    assert text.count("out[0] = a[i]") == 2


def test_a_read_and_a_write_name_both_lines(file):
    i, j = gid(), binary("add", gid(), const(1))
    read, write = load("a", j, loc=ir.Loc(file, 3, 13, 21)), ir.Loc(file, 4, 4, 10)
    text = race_of([store("a", read, i, loc=write)])
    assert "work-item 0 reads it and work-item 1 writes it" in text
    assert text.index("line 3") < text.index("line 4")


def test_a_write_then_a_read():
    body = [store("a", const(1.0, F32), gid()), store("a", load("a", const(0)), gid())]
    assert "work-item 0 writes it and work-item 1 reads it" in race_of(body)


def test_local_memory_without_a_barrier():
    body = [store("t", const(1.0, F32), lid()), store("a", load("t", const(0)), gid())]
    text = race_of(body, declared=[local("t", 4)])
    assert "local array 't'" in text


def test_groups_are_never_ordered():
    body = [ir.Barrier(), store("a", const(1.0, F32), lid())]
    text = race_of(body, size=4, local_size=2)
    assert "different groups" in text


def test_a_reader_of_an_earlier_group_is_remembered():
    first = binary("eq", ir.WorkItem(I64, "group_id", 0), const(0))
    body = [
        ir.If(first, [store("a", load("a", const(7)), gid())]),
        ir.Barrier(),
        ir.If(binary("eq", gid(), const(3)), [store("a", const(0.0, F32), const(7))]),
    ]
    assert "reads it" in race_of(body, size=4, local_size=2)


def test_atomic_beside_plain():
    update = ir.ExprStmt(ir.Atomic(I32, "add", "a", [const(0)], [const(1, I32)]))
    body = [update, store("a", load("a", const(0), type_=I32), binary("add", gid(), const(1)))]
    assert "atomically updates" in race_of(body, dtype=np.int32)


def test_what_is_no_race():
    update = ir.ExprStmt(ir.Atomic(I32, "add", "a", [const(7)], [const(1, I32)]))
    own = store("a", binary("add", load("a", lid(), type_=I32), const(1, I32)), lid())
    body = [update, own, ir.Barrier(), store("a", load("a", const(7), type_=I32), lid()), ir.Barrier(), own]
    node = kernel([array("a", np.int32, written=True)], body)
    assert run(node, 4, np.zeros(8, np.int32))[0].tolist() == [5, 5, 5, 5, 0, 0, 0, 4]


def test_two_arguments_in_one_block():
    node = kernel(
        [array("x"), array("y", written=True)], [store("y", load("x", binary("sub", const(3), gid())), gid())]
    )
    block = Block(16)
    block.write(0, ones().view(np.uint8))
    with pytest.raises(
        KernelRaceError, match="race on element 1 of argument 'x': work-item 1 writes it and work-item 2"
    ):
        run(node, 4, block, block)
    same = kernel([array("x"), array("y", written=True)], [store("y", load("x", gid()), gid())])
    run(same, 4, block, block)


def test_two_dtypes_in_one_block():
    halves = store("y", ir.Cast(ir.Scalar(np.dtype(np.int16)), gid()), binary("mul", gid(), const(2)))
    whole = store("x", const(1, I32), binary("sub", const(3), gid()))
    node = kernel([array("x", np.int32, written=True), array("y", np.int16, written=True)], [halves, whole])
    block = Block(16)
    with pytest.raises(KernelRaceError, match="race"):
        run(node, 4, block, block)


def test_a_barrier_some_never_reach(file):
    early = ir.If(binary("eq", gid(), const(1)), [ir.Return()])
    node = kernel([], [early, ir.Barrier(loc=ir.Loc(file, 2, 4, 23))])
    with pytest.raises(
        KernelRaceError, match=r"divergent barrier in group 0: work-item 0 waits .* work-item 1 never reached"
    ) as caught:
        run(node, 4)
    assert "line 2" in str(caught.value)


def test_two_different_barriers(file):
    here, there = ir.Barrier(loc=ir.Loc(file, 2)), ir.Barrier(loc=ir.Loc(file, 3))
    node = kernel([], [ir.If(binary("eq", gid(), const(1)), [here], [there])])
    with pytest.raises(KernelRaceError, match="divergent") as caught:
        run(node, 4)
    assert "line 2" in str(caught.value)
    assert "line 3" in str(caught.value)


@pytest.mark.parametrize("space", ["local", "private"])
def test_reads_of_declared_arrays_never_written(space):
    node = kernel(
        [array("a", written=True)], [store("a", load("t", const(1)), gid())], arrays=[local("t", 3, space=space)]
    )
    with pytest.raises(
        KernelRaceError, match=f"reads element 1 of {space} array 't', to which nothing has been written"
    ):
        run(node, 1, ones())


def test_reads_of_fresh_global_memory():
    node = kernel([array("a", written=True)], [store("a", load("a", gid()), gid())])
    block = Block(16)
    block.write(0, np.zeros(4, np.uint8))
    with pytest.raises(KernelRaceError, match="reads element 1 of argument 'a'"):
        run(node, 2, block)


def test_what_a_kernel_wrote_may_be_read_by_the_next():
    block = Block(16)
    run(kernel([array("a", written=True)], [store("a", const(2.0, F32), gid())]), 4, block)
    node = kernel([array("a"), array("out", written=True)], [store("out", load("a", gid()), gid())])
    assert run(node, 4, block, ones())[1].tolist() == [2, 2, 2, 2]


def test_variables_never_assigned(file):
    branch = ir.If(binary("eq", gid(), const(0)), [ir.Assign("v", const(1.0, F32))])
    node = kernel(
        [array("a", written=True)], [branch, store("a", var("v", F32), gid())], {"v": F32}, loc=ir.Loc(file, 1)
    )
    with pytest.raises(KernelRaceError, match=r"variable 'v' is read before anything was assigned to it.*work-item 1"):
        run(node, 2, ones())


def test_assertions():
    node = kernel([], [ir.Assert(binary("lt", gid(), const(2)), "too far")])
    with pytest.raises(KernelAssertionError, match=r"kernel 'k': too far \(work-item 2\)"):
        run(node, 4)


def test_a_range_with_step_zero():
    node = kernel([], [ir.For("j", const(0), const(3), gid(), [])], {"j": I64})
    with pytest.raises(KernelLaunchError, match="step 0"):
        run(node, 1)
