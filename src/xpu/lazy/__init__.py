"""Deferred elementwise work: expressions, plans, fused kernels, evaluation.

``operations``  the table of what can be deferred;
``node``        an expression that has not been computed, and the limits on its growth;
``plan``        an expression flattened: leaves, scalars, steps, with dimensions collapsed;
``emit``        a plan as a typed kernel;
``evaluate``    when and how expressions are computed, and writes into arrays.
"""
