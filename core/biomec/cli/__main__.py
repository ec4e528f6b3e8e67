"""`python -m biomec.cli` is what people try beside `python -m biomec`."""

import sys

from biomec.cli import main

if __name__ == "__main__":
    sys.exit(main())
