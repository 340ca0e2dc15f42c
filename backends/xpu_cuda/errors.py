"""What the driver's error codes mean for xpu, and what to do about them."""

from __future__ import annotations

OUT_OF_MEMORY = 2
LAUNCH_OUT_OF_RESOURCES = 701

# After these the context is of no use any more, whatever the process does. CUDA and HIP share the numbers.
LOST: frozenset[int] = frozenset({4, 46, 101, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 720})


def status_of(error: BaseException) -> int | None:
    """Return the driver's number that CuPy put into an error."""
    status = getattr(error, "status", None)
    return int(status) if isinstance(status, int) else None


def remedy_for(error: BaseException, hip: bool) -> str:
    """Return what a user does about an error at the first use of a device; empty where nothing is known."""
    text = f"{type(error).__name__}: {error}".lower()
    status = status_of(error)
    for words, statuses, cuda, rocm in _REMEDIES:
        if status in statuses or any(word in text for word in words):
            return rocm if hip else cuda
    return ""


_RESTART = "start a new process; if it stays, look for hardware errors in the output of `dmesg`"

_REMEDIES: tuple[tuple[tuple[str, ...], tuple[int, ...], str, str], ...] = (
    (
        ("libnvrtc", "nvrtc.dll", "libhiprtc"),
        (),
        'install the run-time compiler: pip install "cupy-cuda12x[ctk]" (CUDA 13: "cupy-cuda13x[ctk]")',
        "install ROCm's run-time compiler: the package hiprtc (or rocm-hip-runtime) of your ROCm release",
    ),
    (
        ("insufficient",),
        (35,),
        "update NVIDIA's driver, or install the CuPy wheel for an older CUDA (cupy-cuda12x)",
        "update the ROCm driver (amdgpu-dkms), or install a CuPy built for your ROCm release",
    ),
    (
        ("no kernel image", "nobinaryforgpu", "invalid value for --gpu-architecture", "unsupported toolchain"),
        (209, 222),
        "this card is newer or older than the installed NVRTC knows: update CuPy and NVRTC (cupy-cuda13x for the "
        "newest cards, cupy-cuda12x for cards before Turing)",
        "your ROCm release does not support this card; HSA_OVERRIDE_GFX_VERSION may name a close relative that it does",
    ),
    (
        ("out of memory", "outofmemory"),
        (OUT_OF_MEMORY,),
        "other programs hold the card's memory: `nvidia-smi` shows which",
        "other programs hold the card's memory: `rocm-smi --showpids` shows which",
    ),
    (
        ("devices unavailable", "devicesunavailable", "exclusive"),
        (46, 54),
        "another process holds the card in exclusive mode: `nvidia-smi -c DEFAULT`, as root, ends that",
        "another process holds the card",
    ),
    (
        ("permission",),
        (),
        "the user may not open /dev/nvidia*: ask for access to these files",
        "the user may not open /dev/kfd: sudo usermod -aG render,video $USER, then log in again",
    ),
    ((), tuple(sorted(LOST)), _RESTART, _RESTART),
)
