"""Transformations of typed kernels that printers may ask for: inlining, returns as control flow, regions between barriers."""
