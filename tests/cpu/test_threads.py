"""Many threads launch at once, processes fork, limits are kept."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from xpu.kernel import ir
from xpu_cpu.threads import Pool, limit

from .hand import DEVICE, F32, arguments, array, binary, const, declared, gid, kernel, lid, load, source, store

N = 300_000


def scale_kernel():
    value = binary("add", binary("mul", load("x", gid()), const(2.0, F32)), const(1.0, F32))
    return kernel([array("x"), array("out")], [store("out", value, gid())])


def reverse_kernel():
    mirrored = binary("sub", const(63), lid())
    body = [store("t", load("x", gid()), lid()), ir.Barrier(), store("out", load("t", mirrored), gid())]
    return kernel([array("x"), array("out")], body, arrays=[declared("t", 64)])


def test_sixteen_threads_launch_at_once():
    nodes = [scale_kernel(), reverse_kernel()]
    compiled = [DEVICE.compile(source(node)) for node in nodes]
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).random(N // 64 * 64).astype(np.float32)
        for _ in range(6):
            for number, local in ((0, None), (1, (64,))):
                out = np.zeros_like(x)
                DEVICE.launch(compiled[number], x.shape, local, arguments(nodes[number], x.shape, (x, out)))
                expected = x * 2 + 1 if number == 0 else x.reshape(-1, 64)[:, ::-1].ravel()
                if not np.array_equal(out, expected):
                    wrong.append((seed, number))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_all_threads_compile_at_once():
    results = {}

    def work(number):
        value = binary("mul", load("x", gid()), const(float(number), F32))
        node = kernel([array("x"), array("out")], [store("out", value, gid())])
        x, out = np.arange(9, dtype=np.float32), np.zeros(9, np.float32)
        compiled = DEVICE.compile(source(node))
        DEVICE.launch(compiled, (9,), None, arguments(node, (9,), (x, out)))
        results[number] = out

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        np.testing.assert_array_equal(results[number], np.arange(9) * number)


FORK = """
import os, sys
import numpy as np
import xpu as xp

@xp.kernel
def double(x, out):
    i = xp.global_id(0)
    out[i] = x[i] * 2

def work():
    x = xp.arange(400_000, dtype=xp.float32)
    out = xp.zeros(400_000, dtype=xp.float32)
    for _ in range(3):
        double[400_000](x, out)
    return bool((xp.asnumpy(out) == np.arange(400_000) * 2).all())

xp.set_device("cpu")
assert work()
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0 if work() else 1)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
assert codes == [0, 0, 0], codes
assert work()
print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_work_goes_on_after_fork(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text(FORK)
    environment = {**os.environ, "XPU_NUM_THREADS": "3"}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=environment)
    assert done.stdout.strip() == "fine", done.stderr


def test_pool_runs_in_as_many_threads_as_there_are_places():
    pool = Pool()
    pool.size = 3
    seen = set()
    barrier = threading.Barrier(3, timeout=20)

    def work():
        seen.add(threading.get_ident())
        barrier.wait()

    pool.run(work, 3)
    assert len(seen) == 3


def test_an_error_in_the_callers_share_is_raised_after_the_others_ended():
    pool = Pool()
    pool.size = 2
    caller = threading.get_ident()
    started = threading.Event()

    def work():
        if threading.get_ident() == caller:
            started.wait(10)
            raise RuntimeError("mine")
        started.set()

    with pytest.raises(RuntimeError, match="mine"):
        pool.run(work, 2)


def test_limit(monkeypatch):
    monkeypatch.setenv("XPU_NUM_THREADS", "5")
    assert limit() == 5
    monkeypatch.setenv("XPU_NUM_THREADS", "none")
    with pytest.raises(ValueError, match="XPU_NUM_THREADS='none' is not a positive number"):
        limit()
    monkeypatch.delenv("XPU_NUM_THREADS")
    assert limit() >= 1
