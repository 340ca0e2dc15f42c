"""Transformations of typed kernels that printers may ask for: helpers inlined, guards, regions between barriers."""
