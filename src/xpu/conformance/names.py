"""Which functions there should be: the Python array API standard's, and those NumPy's users reach for every day."""

from __future__ import annotations

STANDARD_VERSION = "2025.12"

STANDARD: dict[str, tuple[str, ...]] = {
    "constants": ("e", "inf", "nan", "newaxis", "pi"),
    "creation": (
        "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid",
        "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
    ),
    "data types": ("astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"),
    "elementwise": (
        "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_left_shift",
        "bitwise_invert", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign", "cos",
        "cosh", "divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal", "hypot", "imag",
        "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and",
        "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "nextafter",
        "not_equal", "positive", "pow", "real", "reciprocal", "remainder", "round", "sign", "signbit", "sin", "sinh",
        "square", "sqrt", "subtract", "tan", "tanh", "trunc",
    ),
    "indexing": ("take", "take_along_axis"),
    "linear algebra": ("matmul", "matrix_transpose", "tensordot", "vecdot"),
    "manipulation": (
        "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis",
        "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
    ),
    "searching": ("argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"),
    "sets": ("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    "sorting": ("argsort", "sort"),
    "statistics": (
        "cumulative_sum", "cumulative_prod", "max", "mean", "min", "prod", "std", "sum", "var",
    ),
    "utilities": ("all", "any", "diff"),
    "inspection": ("__array_namespace_info__",),
    "linalg": tuple(
        f"linalg.{name}"
        for name in (
            "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm",
            "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd",
            "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
        )
    ),
    "fft": tuple(
        f"fft.{name}"
        for name in (
            "fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq",
            "fftshift", "ifftshift",
        )
    ),
}  # fmt: skip
"""The functions of the standard, by its own chapters; those of its extensions with their namespace."""

EVERYDAY: dict[str, tuple[str, ...]] = {
    "creation": (
        "array", "ascontiguousarray", "copy", "diag", "fromfunction", "geomspace", "identity", "logspace", "tri",
    ),
    "elementwise": (
        "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "around", "bitwise_count",
        "bitwise_not", "cbrt", "conjugate", "deg2rad", "degrees", "divmod", "exp2", "fabs", "fix", "float_power", "fmax",
        "fmin", "fmod", "frexp", "gcd", "heaviside", "invert", "iscomplex", "isclose", "isneginf", "isposinf", "isreal",
        "lcm", "ldexp", "left_shift", "logaddexp2", "mod", "modf", "nan_to_num", "power", "rad2deg", "radians",
        "right_shift", "rint", "sinc", "true_divide",
    ),
    "manipulation": (
        "append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "concatenate", "delete",
        "dsplit", "dstack", "fliplr", "flipud", "hsplit", "hstack", "insert", "pad", "ravel", "resize", "rollaxis",
        "rot90", "split", "swapaxes", "transpose", "trim_zeros", "vsplit", "vstack",
    ),
    "indexing": (
        "choose", "compress", "diag_indices", "extract", "flatnonzero", "indices", "ix_", "place", "put",
        "put_along_axis", "putmask", "ravel_multi_index", "select", "tril_indices", "triu_indices", "unravel_index",
    ),
    "linear algebra": ("cross", "dot", "einsum", "inner", "kron", "outer", "trace", "vdot"),
    "statistics": (
        "average", "bincount", "corrcoef", "cov", "cumprod", "cumsum", "digitize", "ediff1d", "gradient", "histogram",
        "histogram2d", "interp", "median", "nanmax", "nanmean", "nanmedian", "nanmin", "nanprod", "nanstd", "nansum",
        "nanvar", "percentile", "polyfit", "polyval", "ptp", "quantile", "trapezoid",
    ),
    "searching and sorting": (
        "argpartition", "argwhere", "lexsort", "nanargmax", "nanargmin", "partition",
    ),
    "sets": ("intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"),
    "logic": ("allclose", "array_equal", "array_equiv", "iscomplexobj", "isrealobj", "isscalar"),
    "files and text": ("array2string", "array_repr", "array_str", "load", "save", "savez"),
}  # fmt: skip
"""What a NumPy program uses beyond the standard, by NumPy's chapters."""
