"""Which muscles of a set a model can carry, and whether those that it can carry are enough to share a torque.

Where most muscles of a region cannot be carried, such as those of a shoulder without its blade, what is left cannot
make the torques there, and would only be at its full strength: the region is left out as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from biomec.body.muscles.muscle_set import Muscle

ENOUGH = 0.5  # share of the muscles of a region and side


def carried(muscles: Sequence[Muscle], missing: Callable[[Muscle], str]) -> tuple[list[Muscle], dict[str, str]]:
    """Muscles that a model can carry, and of the others by name why it cannot.

    missing : why the model cannot carry a muscle, such as "the model has no thorax"; empty if it can
    """
    why = {one.name: missing(one) for one in muscles}
    every = Counter((one.region, one.side) for one in muscles)
    fitting = Counter((one.region, one.side) for one in muscles if not why[one.name])
    for one in muscles:
        place = (one.region, one.side)
        if one.region and not why[one.name] and fitting[place] < ENOUGH * every[place]:
            why[one.name] = f"most muscles of the {one.region} need segments that the model does not have"
    kept = [one for one in muscles if not why[one.name]]
    return kept, {name: words for name, words in why.items() if words}
