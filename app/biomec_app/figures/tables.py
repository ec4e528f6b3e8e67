"""Pages of sentences and tables about an analysis, and their window; a later stage adds its own: `register_summary`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTabWidget, QVBoxLayout, QWidget

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis, run_first
from biomec.reporting.content.load_tables import load_tables
from biomec.reporting.content.time_and_distance_section import time_and_distance_section
from biomec.reporting.indices.push_ups import push_up_section
from biomec.reporting.indices.scapulohumeral import shoulder_section
from biomec.reporting.statistics.cycle_statistics import angle_table, cycle_table
from biomec.reporting.tables import Section
from biomec_app.kit.dialog_parts import empty_tabs
from biomec_app.kit.sections import SectionView, section_text
from biomec_app.session.context import Context
from biomec_app.session.side_window import SideWindow


@dataclass(frozen=True)
class Summary:
    """A page.

    key   : unique name; the menu item is ``signals.<key>``
    title : what the menu and the window say;  help: one sentence
    needs : steps that must have run
    make  : finds its sections
    """

    key: str
    title: str
    help: str
    needs: tuple[str, ...]
    make: Callable[[Analysis], tuple[Section, ...]]

    def blocked(self, analysis: Analysis) -> str | None:
        """Why there is no page yet, as a sentence; None if there is one."""
        return next((run_first(step) for step in self.needs if step not in analysis.done), None)


def cycle_statistics(analysis: Analysis) -> tuple[Section, ...]:
    """Cycles and angles in numbers."""
    all_cycles = analysis.cycles
    by = {"none": "No cycles were sought.", "events": "Cycles begin and end at foot strikes."}
    sentence = by.get(all_cycles.by, f"Cycles begin and end at the minima of {all_cycles.by}.")
    cycles = cycle_table(all_cycles.groups, analysis.signals.trial.first_frame)
    of_the_movement = (time_and_distance_section(analysis), push_up_section(analysis), shoulder_section(analysis))
    return (
        *(section for section in of_the_movement if section is not None),
        Section("Cycles", (sentence,), (cycles,)),
        Section("Angles", (), (angle_table(analysis.angles, all_cycles.curves),)),
    )


def loads_in_tables(analysis: Analysis) -> tuple[Section, ...]:
    """What joints bear, how large the residual is, and how far both methods are apart."""
    return tuple(Section(table.caption, (), (replace(table, caption=""),)) for table in load_tables(analysis))


_SUMMARIES = [
    Summary(
        "statistics", "Cycle Statistics", "Strides or push-ups in figures, durations of cycles, what every angle does",
        ("cycles",), cycle_statistics,
    ),
    Summary(
        "load-tables", "Joint Loads in Tables",
        "Shares of compression, traction and shear; residual by axis; both methods beside each other",
        ("cycles", "loads"), loads_in_tables,
    ),
]  # fmt: skip


def summaries() -> tuple[Summary, ...]:
    """All pages, in the order of the menu."""
    return tuple(_SUMMARIES)


def register_summary(summary: Summary) -> None:
    """Add a page to the menu Signal Analysis, before the window is made."""
    if any(one.key == summary.key for one in _SUMMARIES):
        raise ValueError(f"there is a summary {summary.key} already")
    _SUMMARIES.append(summary)


class TableWindow(SideWindow):
    """Sections of a title; ``make`` gives them again when the analysis has changed (None: they stay)."""

    def __init__(
        self,
        context: Context,
        title: str,
        sections: Sequence[Section],
        make: Callable[[Analysis], Sequence[Section]] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, f"tables-{title}", title, parent)
        self.title, self._make = title, make
        self.tabs = QTabWidget()
        self.tabs.setObjectName("tables-panes")
        self.tabs.setDocumentMode(True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs)
        foot = QHBoxLayout()
        foot.addStretch(1)
        for text, name, act in (("&Copy", "tables-copy", self.copy), ("&Save…", "tables-save", self._ask_and_save)):
            button = QPushButton(text)
            button.setObjectName(name)
            button.clicked.connect(act)
            foot.addWidget(button)
        layout.addLayout(foot)
        QShortcut(QKeySequence("Esc"), self, self.close)
        self.resize(980, 640)
        context.document.analysis_changed.connect(self._follow)
        self._fill(sections)

    def _fill(self, sections: Sequence[Section]) -> None:
        shown = max(self.tabs.currentIndex(), 0)
        empty_tabs(self.tabs)
        for section in sections:
            self.tabs.addTab(SectionView(section), section.title)
        self.tabs.tabBar().setVisible(len(sections) > 1)
        self.tabs.setCurrentIndex(shown)

    def _follow(self) -> None:
        if self.closed or self._make is None or not self.context.document.is_open:
            return
        try:
            self._fill(self._make(self.context.document.analysis))
        except BiomecError as error:
            self._fill((Section(self.title, (str(error),)),))

    def text(self) -> str:
        """All sections as text with tabs."""
        pages = (self.tabs.widget(k) for k in range(self.tabs.count()))
        return "\n".join(section_text(page.section) for page in pages if isinstance(page, SectionView))

    def copy(self) -> None:
        """Put all sections on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def _ask_and_save(self) -> None:
        path = self.context.user.ask_file("Save tables", "Text with tabs (*.txt)", True, f"{self.title}.txt")
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write all sections to a text file."""
        try:
            with atomic_path(path) as temporary:
                temporary.write_text(self.text(), encoding="utf-8")
        except BiomecError as error:
            self.context.user.fail("Save tables", str(error))


def open_tables(
    context: Context,
    title: str,
    sections: Sequence[Section],
    make: Callable[[Analysis], Sequence[Section]] | None = None,
) -> TableWindow:
    """Open a window of sections."""
    window = TableWindow(context, title, sections, make, context.window)
    window.show()
    return window
