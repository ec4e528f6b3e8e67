"""Names that are unique."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from biomec.notices import Notice, warning

MOST_NAMED = 20  # names in one sentence


def unique_names(names: Sequence[str], what: str, file: str) -> tuple[list[str], tuple[Notice, ...]]:
    """Number the second and later uses of a name (``C7``, ``C7_2``); the notice says which."""
    given, seen, result, renamed = set(names), set[str](), [], []
    number: defaultdict[str, int] = defaultdict(lambda: 1)
    for name in names:
        new = name
        while new in seen or (new != name and new in given):
            number[name] += 1
            new = f"{name}_{number[name]}"
        if new != name:
            renamed.append(new)
        seen.add(new)
        result.append(new)
    if not renamed:
        return result, ()
    sentence = f"{file}: {what} share a name. The later ones were renamed {listed(renamed)}; check which is which."
    return result, (warning("c3d-repeated-names", sentence, *renamed),)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; a long list is cut short."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return ", ".join(names[:MOST_NAMED]) + f" and {len(names) - MOST_NAMED} more"
