"""What the File menu needs of a view to copy and save its figure; the plots are one, others may follow."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

COPIES = ("png", "svg", "data")
"""Kinds of copies: a picture of points, a drawing, the numbers as text with tabs."""
SAVES = ("png", "svg", "pdf", "csv")
"""Ends of the names of the files that a figure can be saved to."""


class FigureSource(Protocol):
    """A view that can hand out what it shows; `Context.figure` is the one that the user worked with last."""

    def copy(self, kind: str) -> None:
        """Put the figure on the clipboard as one of `COPIES`."""

    def save(self, path: Path) -> None:
        """Write the figure to a file of the kind that its name ends with, one of `SAVES`."""

    @property
    def window_s(self) -> tuple[float, float] | None:
        """Begin and end of the time that is visible [s]; None where the view shows none."""
