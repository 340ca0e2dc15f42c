"""``python -m xpu.doctor FILE [backend NAME | choice DEVICE]``: child of ``collect_safely``."""

import sys

from .collect import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
