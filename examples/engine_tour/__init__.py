"""The engine shown on mechanisms with a known answer: a table of checks, two pictures and an animation.

`python -m examples.engine_tour --out DIR`, from the folder of the repository; the pictures need `biomec[app]`.
"""

from examples.engine_tour.tour import main, verdict

__all__ = ["main", "verdict"]
