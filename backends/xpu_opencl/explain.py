"""Remedies for what OpenCL implementations say when they fail."""

from __future__ import annotations

_INTEL = "pip install intel-opencl-rt intel-cmplr-lib-rt"
_RULES: tuple[tuple[str, str, str], ...] = (
    (
        "portable computing language",
        "unknown target cpu",
        "this PoCL's LLVM is older than the processor: use another implementation "
        f"({_INTEL}), or Debian's pocl-opencl-icd instead of PoCL's wheel (pip uninstall pocl-binary-distribution)",
    ),
    (
        "rusticl",
        "libclc",
        "Rusticl needs Mesa's library of OpenCL functions: apt install libclc-15 (or the libclc of your Mesa's LLVM)",
    ),
    ("clover", "", "Clover is no longer maintained; set RUSTICL_ENABLE=llvmpipe (or radeonsi, iris) to use Rusticl"),
    ("", "compiler_not_available", "this driver has no compiler for OpenCL C: install the vendor's full package"),
    ("", "device_not_available", "another process holds the device, or its driver was reset: try again, or reboot"),
    ("", "out_of_host_memory", "the host has no memory left for the driver: close other programs"),
    ("", "out_of_resources", "the device has no resources left: close other programs that use it"),
)
_BUILD = ("build_program_failure", "build failed", "error -11", "failed to build")


def explain(platform: str, error: BaseException) -> str:
    """Return the remedy for a failed start or probe; empty where none is known."""
    text = f"{error} {error.__cause__ or ''}".lower()
    for where, what, remedy in _RULES:
        if where in platform.lower() and what in text:
            return remedy
    if any(word in text for word in _BUILD):
        return (
            f"its compiler does not work here: update or remove the driver, or use another implementation ({_INTEL}); "
            "`clinfo` and a look at its own messages may tell more"
        )
    return ""
