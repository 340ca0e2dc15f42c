"""The portable kernels, written in the kernel language: what every device can run."""
