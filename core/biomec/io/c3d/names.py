"""Names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMED = 20


def listed(names: Sequence[str]) -> str:
    """Names with commas; a long list is cut short."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return ", ".join(names[:MOST_NAMED]) + f" and {len(names) - MOST_NAMED} more"
