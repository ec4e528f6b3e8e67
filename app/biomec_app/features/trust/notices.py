"""The notices of a recording, the most severe first; a click goes to what a notice is about."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.notices import HEADINGS, Notice, Severity
from biomec.pipeline.analysis import Analysis
from biomec_app.dialogs.mapping import nothing_to_repair, repair_labels
from biomec_app.features.trust.notice_content import as_text, counts, frame_words, shown, target
from biomec_app.kit.painted import dot
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.words import moment_told, with_zero, zero_told
from biomec_app.session.context import Context

NOTICE = int(Qt.ItemDataRole.UserRole)
LINE = 24  # points of a line with its border
ABOUT = 40  # letters of the names that a notice is about


def severity_colours(theme: Theme) -> dict[Severity, str]:
    """Colour of the sign of every severity."""
    return {Severity.PROBLEM: theme.failed, Severity.WARNING: theme.rebuilt, Severity.INFO: theme.accent}


class _Wrapping(QStyledItemDelegate):
    """Gives a sentence as many lines as it takes in the width of its column; a tree does not do so by itself."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Height of the wrapped sentence."""
        size = super().sizeHint(option, index)
        view = self.parent()
        if index.column() or not index.parent().isValid() or not isinstance(view, QTreeWidget):
            return QSize(size.width(), max(20, size.height() + 2))
        width = view.columnWidth(0) - 2 * view.indentation() - option.decorationSize.width() - 14
        words = str(index.data(Qt.ItemDataRole.DisplayRole))
        room = QRect(0, 0, max(60, width), 10_000)
        height = option.fontMetrics.boundingRect(room, Qt.TextFlag.TextWordWrap, words).height()
        return QSize(size.width(), max(20, height + 5))


class NoticePanel(QWidget):
    """A list under headings, buttons that hide a severity, and a search.

    It may be so low that only the buttons with their numbers are seen.

    fold_asked : the list is to be seen, or no longer
    """

    fold_asked = Signal(bool)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self._theme = LIGHT
        self._known: Analysis | None = None
        self.setObjectName("notices")
        self._build()
        self._document.opened.connect(self.refresh)
        self._document.analysis_changed.connect(self.refresh)
        self.refresh()

    def _build(self) -> None:
        self.filters: dict[Severity, QToolButton] = {}
        bar = QHBoxLayout()
        bar.setSpacing(4)
        for severity, (title, meaning) in HEADINGS.items():
            button = QToolButton()
            button.setObjectName(f"notices.{severity.value}")
            button.setAccessibleName(f"Show {title.lower()}")
            button.setToolTip(f"{title}: {meaning} Click to hide or show them.")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setCheckable(True)
            button.setChecked(True)
            button.toggled.connect(lambda _: self._show())
            self.filters[severity] = button
            bar.addWidget(button)
        self.search = QLineEdit()
        self.search.setObjectName("notices.search")
        self.search.setAccessibleName("Search in the notices")
        self.search.setPlaceholderText("Search, e.g. a marker")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(260)
        self.search.textChanged.connect(lambda _: self._show())
        self.fold = QToolButton()
        self.fold.setObjectName("notices.fold")
        self.fold.setAutoRaise(True)
        self.fold.clicked.connect(lambda: self.fold_asked.emit(not self.folded))
        self.copy_all = QPushButton("Copy")
        self.copy_all.setObjectName("notices.copy")
        self.copy_all.setToolTip("Copy the notices that are shown as text (Ctrl+C copies the chosen ones)")
        self.copy_all.clicked.connect(self.copy)
        self.repair = QPushButton("Repair Labels")
        self.repair.setObjectName("notices.repair")
        self.repair.setToolTip("Exchange labels back where two markers are under each other's label (can be undone)")
        self.repair.clicked.connect(lambda: repair_labels(self.context))
        bar.addSpacing(6)
        bar.addWidget(self.search, 1)
        bar.addStretch(1)
        bar.addWidget(self.repair)
        bar.addWidget(self.copy_all)
        bar.addWidget(self.fold)

        self.list = QTreeWidget()
        self.list.setObjectName("notices.list")
        self.list.setAccessibleName("Notices")
        self.list.setMinimumHeight(1)  # it may be folded away
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setIndentation(14)
        self.list.setWordWrap(True)
        self.list.setItemDelegate(_Wrapping(self.list))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.sectionResized.connect(lambda *_: self.list.scheduleDelayedItemsLayout())  # sentences wrap anew
        self.list.itemClicked.connect(lambda item, _: self.go(item))
        self.list.itemActivated.connect(lambda item, _: self.go(item))
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.list)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 4)
        layout.setSpacing(4)
        layout.addLayout(bar)
        layout.addWidget(self.list, 1)

    # ------------------------------------------------------------------ folded or not

    @property
    def folded(self) -> bool:
        """Whether the panel is so low that no line of the list is seen."""
        return self.list.height() < LINE

    @property
    def worth_reading(self) -> bool:
        """Whether there is a problem or a warning."""
        return any(one.severity is not Severity.INFO for one in self._notices())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say what the button would do now."""
        super().resizeEvent(event)
        self.fold.setArrowType(Qt.ArrowType.UpArrow if self.folded else Qt.ArrowType.DownArrow)
        words = "Show the list" if self.folded else "Fold the list away"
        self.fold.setToolTip(words)
        self.fold.setAccessibleName(words)

    # ------------------------------------------------------------------ content

    def refresh(self) -> None:
        """Show the notices of the analysis as it is now."""
        analysis = self._document.analysis if self._document.is_open else None
        if analysis is not None and analysis is self._known:
            return
        self._known = analysis
        self._show()

    def _notices(self) -> tuple[Notice, ...]:
        return () if self._known is None else self._known.notices

    def _severities(self) -> set[Severity]:
        return {severity for severity, button in self.filters.items() if button.isChecked()}

    def _show(self) -> None:
        self.list.clear()
        tints = severity_colours(self._theme)
        for severity, count in counts(self._notices()).items():
            button = self.filters[severity]
            button.setText(f"{HEADINGS[severity][0]} {count}")
            button.setIcon(dot(tints[severity] if count else "", self._theme.faint))
            button.setEnabled(count > 0)
        faint = QBrush(QColor(self._theme.faint))
        groups = shown(self._notices(), self._severities(), self.search.text())
        for group in groups:
            head = QTreeWidgetItem(self.list, [f"{group.title} ({len(group.notices)}): {group.meaning}"])
            head.setFirstColumnSpanned(True)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            bold = QFont(self.font())
            bold.setBold(True)
            head.setFont(0, bold)
            for notice in group.notices:
                self._line(head, notice, dot(tints[notice.severity], self._theme.faint), faint)
            head.setExpanded(group is groups[0] or group.severity is not Severity.INFO)
        self.copy_all.setEnabled(bool(groups))
        self.repair.setVisible(self._document.is_open and nothing_to_repair(self.context) is None)
        if not groups:
            words = "No notice holds these words." if self._notices() else "There is nothing to tell."
            QTreeWidgetItem(self.list, [words]).setFlags(Qt.ItemFlag.NoItemFlags)

    def _line(self, head: QTreeWidgetItem, notice: Notice, sign: object, faint: QBrush) -> None:
        assert self._known is not None
        about = ", ".join(notice.about)
        about = about if len(about) <= ABOUT else f"{about[: ABOUT - 1]}…"
        item = QTreeWidgetItem(head, [notice.sentence, about, frame_words(self._known, notice)])
        item.setIcon(0, sign)  # type: ignore[arg-type]
        item.setData(0, NOTICE, notice)
        for column in (1, 2):
            item.setForeground(column, faint)
        leads = target(self._known, notice)
        hint = " Click to see it." if leads.leads_anywhere else ""
        trial = self._known.session.dynamic
        item.setToolTip(0, f"{with_zero(trial, notice.sentence)}{hint}")
        item.setToolTip(1, ", ".join(notice.about))
        if notice.frames is not None:
            begin = moment_told(trial, notice.frames[0] / trial.rate_hz)
            item.setToolTip(2, f"Begins {begin}. {zero_told(trial)}")

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._show()

    # ------------------------------------------------------------------ what the user does

    def go(self, item: QTreeWidgetItem) -> None:
        """Go to the frames of a notice, and pick what it is about."""
        notice = item.data(0, NOTICE)
        if not isinstance(notice, Notice) or self._known is None:
            return
        leads = target(self._known, notice)
        if leads.segment is not None or leads.point is not None:
            self._document.select(segment=leads.segment, point=leads.point)
        if leads.frame is not None:
            self._document.set_frame(leads.frame)

    def copy(self) -> None:
        """Copy what is shown."""
        groups = shown(self._notices(), self._severities(), self.search.text())
        QGuiApplication.clipboard().setText(as_text(groups))

    def _copy_chosen(self) -> None:
        chosen = [item.data(0, NOTICE) for item in self.list.selectedItems()]
        sentences = [one.sentence for one in chosen if isinstance(one, Notice)]
        QGuiApplication.clipboard().setText("\n".join(sentences))
