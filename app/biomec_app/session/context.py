"""What every action and view may use: the document, background work, preferences, and the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis, step_named
from biomec_app.kit import theme as themes
from biomec_app.session.camera import Camera
from biomec_app.session.comparison import Comparison
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs
from biomec_app.session.open_visit import OpenVisit
from biomec_app.session.plot_state import PlotState
from biomec_app.session.preferences import Preferences
from biomec_app.session.ready import ready
from biomec_app.session.shown_norm import ShownNorm

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class User:
    """Somebody who answers no question and sees nothing, as in a program without a window; the window has another."""

    def ask_file(self, title: str, pattern: str, save: bool, start: str) -> Path | None:
        """Ask for a file to open or to save; None if none was chosen."""
        return None

    def ask_files(self, title: str, pattern: str, start: str) -> tuple[Path, ...]:
        """Ask for files to open; none if none were chosen."""
        return ()

    def ask_folder(self, title: str, start: str) -> Path | None:
        """Ask for a folder; None if none was chosen."""
        return None

    def ask_text(self, title: str, question: str, start: str) -> str | None:
        """Ask for a short text; None if none was given."""
        return None

    def confirm(self, title: str, question: str, choices: tuple[str, ...]) -> str | None:
        """Ask a question; the choice, or None."""
        return None

    def tell(self, title: str, sentence: str) -> None:
        """Show a message."""

    def fail(self, title: str, sentence: str) -> None:
        """Show what went wrong."""
        self.tell(title, sentence)

    def show_written(self, title: str, files: tuple[Path, ...], remarks: tuple[str, ...]) -> None:
        """Show which files were written, and what is to be said about them."""

    def set_theme(self, name: str) -> None:
        """Show everything in a theme, "light", "dark" or "system"."""

    def show_panel(self, name: str) -> None:
        """Bring a panel, by its name in `shell.panels`, to the front, or close the one in front."""

    def panel_seen(self, name: str) -> bool:
        """Whether a panel is seen: neither closed nor covered by another."""
        return False


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


class OpenWindow(Protocol):
    """A window beside the main one."""

    def may_close(self) -> bool:
        """Whether it holds no unsaved work, or the user does not want it saved; asked before the program ends."""

    def shut(self) -> None:
        """Close with the program."""


@dataclass
class Context:
    """The parts of the running program. A test makes one without a window.

    window   : parent of dialogs; None in tests
    user     : whom to ask and to tell
    plots    : how curves are shown
    figure   : the view whose figure is copied and saved; None while there is none
    camera   : where the 3-D view looks from; None without one
    comparison : recordings beside the open one
    visit    : recordings of the same visit as the open one
    norm     : the norm behind curves over the cycle
    aside    : background work that has nothing to do with the recording, which can be changed and saved meanwhile
    closing  : called when the program ends
    windows  : those that are open beside the main one
    """

    document: Document
    jobs: Jobs
    preferences: Preferences
    window: QWidget | None = None
    user: User = field(default_factory=User)
    closing: list[Callable[[], None]] = field(default_factory=list)
    windows: list[OpenWindow] = field(default_factory=list)
    figure: FigureSource | None = None
    plots: PlotState = field(default_factory=PlotState)
    camera: Camera | None = None
    aside: Jobs = field(default_factory=Jobs)
    comparison: Comparison = field(init=False)
    visit: OpenVisit = field(init=False)
    norm: ShownNorm = field(init=False)

    def __post_init__(self) -> None:
        self.comparison = Comparison(self.document, self.jobs)
        self.visit = OpenVisit(self.document)
        self.norm = ShownNorm(self.document, self.preferences)
        self.closing.append(self.norm.stop)

    @property
    def theme(self) -> themes.Theme:
        """Theme that the window uses."""
        return themes.chosen(self.preferences.theme)

    def analyse(
        self,
        title: str,
        work: Callable[[Analysis, Progress], Analysis],
        line: str | Callable[[Analysis], str],
    ) -> None:
        """Change the analysis in the background; nothing changes if it fails or is cancelled.

        line : of Python that does the same, or what writes it once the result is there
        """
        before = self.document.analysis

        def done(after: Analysis) -> None:
            if self.document.analysis is not before:
                raise BiomecError("The recording was changed meanwhile, so the result was not used. Run it again.")
            if after is not before:
                self.document.change(title, after, line if isinstance(line, str) else line(after))

        self.jobs.start(title, lambda progress: ready(work(before, progress)), done)

    def run_until(self, step: str, title: str = "") -> None:
        """Run a step of the analysis and whatever before it is missing or stale; ``title`` names it for the user."""
        title = title or step_named(step).title
        self.analyse(title, lambda a, progress: a.run_until(step, progress), f'analysis = analysis.run_until("{step}")')
