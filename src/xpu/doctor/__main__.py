"""``python -m xpu.doctor FILE [BACKEND]``: the child process of :func:`xpu.doctor.collect_safely`."""

import sys

from .collect import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
