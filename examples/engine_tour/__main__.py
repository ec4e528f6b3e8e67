"""`python -m examples.engine_tour --out DIR` starts the tour."""

import argparse
import sys
from pathlib import Path

from examples.engine_tour.tour import main

parser = argparse.ArgumentParser(prog="python -m examples.engine_tour", description="Show the engine on mechanisms.")
parser.add_argument("--out", type=Path, default=Path("tour-output"), metavar="DIR", help="folder for the pictures")
sys.exit(main(parser.parse_args().out))
