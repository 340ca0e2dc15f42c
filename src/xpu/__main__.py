"""``python -m xpu``: the same as the command ``xpu``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
