"""Random kernels that must give the same bits on every device."""
