"""`python -m biomec` is the same as the command `biomec`."""

import sys

from biomec.cli import main

if __name__ == "__main__":
    sys.exit(main())
