"""The page before a recording is open: what Biomec does, the ways to begin, and recent files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from biomec_app.features.clinical.actions import open_visit_folder
from biomec_app.features.study.actions import ask_and_open_study
from biomec_app.features.workbench.actions import open_head_neck, open_when_loaded
from biomec_app.kit.painted import Painted
from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context
from biomec_app.shell import files
from biomec_app.shell.start_icons import ICONS, draw_banner

TAGLINE = "From recorded markers to joint angles, joint loads and simulations – with the doubt shown."
WIDTH, HEIGHT = 1060, 916  # points of what stands in the middle of the page
STEPS = (
    ("Begin", "with the demo, or import your own recording: the static, the force plates and the EMG that belong to it "
     "are found beside it."),
    ("Look", "at the movement in the middle and at the joint angles beside it; Space plays, a click on a curve goes to "
     "that moment."),
    ("Judge", "in the panel Trust how well the model fits, and which marker, segment and stretch of time are worst."),
    ("Go on", "with what the joints carry and with simulations of the movement, in the menu Dynamics; there is a "
     "workbench for machines of your own too."),
    ("Keep", "the work as a project (Ctrl+S), or save tables and figures from the menu File, movies from Visualize."),
)  # fmt: skip


class StartPage(QWidget):
    """Ways to begin and recent files."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName("start")
        self._theme = LIGHT
        self.banner = Banner()
        self.buttons = {
            "import": Card("Import…", "A recording: C3D, EMT, TRC, CSV", "Ctrl+I", "import"),
            "visit": Card("Visit…", "A folder: static and all trials of one day", "Ctrl+Shift+O", "visit"),
            "study": Card("Study…", "A folder: many people, compared and reported", "Ctrl+Shift+U", "study"),
            "open": Card("Open…", "A project or a MATLAB file", "Ctrl+O", "open"),
            "demo": Card("Demo", "A push-up, measured and analysed", "D", "demo"),
        }
        for key, run in self._runs().items():
            self.buttons[key].clicked.connect(run)
        self.buttons["demo"].setShortcut("D")
        self.workbench = _link("workbench", "Mechanism &Workbench…", "Machines of your own (Ctrl+Shift+W)")
        self.neck = _link(
            "head-neck", "Head and &Neck under Impact…", "What a blow does to head and neck (Ctrl+Shift+H)"
        )
        self.recent, self.recent_title, self.hint, self.steps = QListWidget(), QLabel("Recent"), QLabel(), QLabel()
        self._build()
        context.document.opened.connect(self.refresh)
        for signal in (context.jobs.started, context.jobs.finished, context.jobs.cancelled, context.jobs.failed):
            signal.connect(self._follow_jobs)
        self.refresh()

    def _runs(self) -> dict[str, Callable[[], None]]:
        context = self.context
        return {
            "import": lambda: files.ask_and_import(context),
            "visit": lambda: open_visit_folder(context),
            "study": lambda: ask_and_open_study(context),
            "open": lambda: files.ask_and_open(context),
            "demo": lambda: files.open_demo(context),
        }

    def _build(self) -> None:
        links = QHBoxLayout()
        links.setSpacing(14)
        for link, run in ((self.workbench, open_when_loaded), (self.neck, open_head_neck)):
            link.clicked.connect(lambda checked=False, run=run: run(self.context))
            links.addWidget(link)
        links.addStretch(1)
        cards = QHBoxLayout()
        cards.setSpacing(14)
        for button in self.buttons.values():
            cards.addWidget(button)
        self.recent.setObjectName("start.recent")
        self.recent.setAccessibleName("Recent files")
        self.recent.setItemDelegate(RecentDelegate(self.recent))
        self.recent.setFrameShape(QFrame.Shape.NoFrame)
        self.recent.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.recent.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.recent.itemActivated.connect(self._open_recent)
        self.recent.itemClicked.connect(self._open_recent)
        font = QFont(self.recent_title.font())
        font.setBold(True)
        self.recent_title.setFont(font)
        self.steps.setObjectName("start.steps")
        self.steps.setWordWrap(True)
        rich(self.steps)
        self.hint.setText("Or drop files anywhere on this window")
        self.hint.setObjectName("start.hint")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setFixedHeight(40)
        column = QWidget()
        column.setMaximumSize(WIDTH, HEIGHT)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(24, 0, 24, 16)
        inner.setSpacing(12)
        inner.addStretch(0)
        inner.addWidget(self.banner)
        inner.addLayout(cards)
        inner.addLayout(links)
        inner.addSpacing(6)
        inner.addWidget(self.recent_title)
        inner.addWidget(self.recent, 1)
        inner.addWidget(self.steps)
        inner.addWidget(self.hint)
        inner.addStretch(0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 16, 0, 0)
        layout.addStretch(1)
        layout.addWidget(column, 100)  # in the middle of a large window, from edge to edge of a small one
        layout.addStretch(1)

    # ------------------------------------------------------------------ content

    def refresh(self) -> None:
        """Show the files that were opened last and still exist."""
        self.recent.clear()
        paths = self.context.preferences.recent
        for path in paths:
            item = QListWidgetItem(path.name)
            item.setData(Qt.ItemDataRole.UserRole, str(path))
            item.setToolTip(str(path))
            self.recent.addItem(item)
        self.recent.setVisible(bool(paths))
        self.steps.setVisible(not paths)
        self.recent_title.setText("Recent" if paths else "First steps")

    def _open_recent(self, item: QListWidgetItem) -> None:
        name = item.data(Qt.ItemDataRole.UserRole)
        if name and not self.context.jobs.busy:
            files.open_file(self.context, Path(name))

    def _follow_jobs(self, *_: object) -> None:
        for widget in (*self.buttons.values(), self.recent):
            widget.setEnabled(not self.context.jobs.busy)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.banner.set_theme(theme)
        for button in self.buttons.values():
            button.set_theme(theme)
        self.hint.setStyleSheet(f"border: 1px dashed {theme.line}; border-radius: 8px; color: {theme.faint};")
        rows = "".join(
            f'<tr><td style="color:{theme.accent}; font-weight:bold; padding-right:14px">{n}</td>'
            f'<td style="padding-bottom:8px"><b>{title}</b> {words}</td></tr>'
            for n, (title, words) in enumerate(STEPS, 1)
        )
        self.steps.setText(f"<table cellspacing=0 cellpadding=2>{rows}</table>")
        self.steps.setStyleSheet(
            f"background: {theme.panel}; border: 1px solid {theme.line}; border-radius: 8px; padding: 12px;"
        )
        palette = self.recent.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.window))
        self.recent.setPalette(palette)


def _link(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(f"start.{name}")
    button.setToolTip(tip)
    return button


class Banner(Painted, QWidget):
    """Name and purpose of the program, with a figure in motion."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.setFixedHeight(170)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Biomec. {TAGLINE}")

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw name and tagline."""
        draw_banner(painter, QRectF(self.rect()), self._theme, TAGLINE)


class Card(Painted, QAbstractButton):
    """A large button: a picture, what it does, and what it is for."""

    def __init__(self, title: str, words: str, key: str, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._words, self._key, self._icon, self._theme = title, words, key, icon, LIGHT
        self.setObjectName(f"start.{icon}")
        self.setAccessibleName(title.replace("…", ""))
        self.setAccessibleDescription(words)
        self.setToolTip(f"{words} ({key})")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return room for picture and words."""
        return QSize(200, 120)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw frame, picture and words."""
        theme, box = self._theme, QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        over = self.isEnabled() and (self.underMouse() or self.hasFocus())
        path = QPainterPath()
        path.addRoundedRect(box, 10, 10)
        painter.setPen(QPen(QColor(theme.accent if over else theme.line), 2.0 if over else 1.2))
        painter.setBrush(QBrush(QColor(theme.panel)))
        painter.drawPath(path)
        if self.isDown():
            shade = QColor(theme.accent)
            shade.setAlpha(30)
            painter.fillPath(path, shade)
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        ICONS[self._icon](painter, QRectF(box.left() + 16, box.top() + 20, 40, 40), theme)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.3)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))
        painter.drawText(QPointF(box.left() + 70, box.top() + 47), self._title)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.faint))
        words = QRectF(box.left() + 16, box.top() + 70, box.width() - 28, 46)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self._words)
        key = QRectF(box.right() - 130, box.top() + 8, 120, 18)
        painter.drawText(key, Qt.AlignmentFlag.AlignRight, self._key)


class RecentDelegate(QStyledItemDelegate):
    """A recent file in two lines: its name and day, and its folder."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return room for two lines."""
        return QSize(100, 2 * option.fontMetrics.height() + 14)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw."""
        name = index.data(Qt.ItemDataRole.UserRole)
        if not name:
            super().paint(painter, option, index)
            return
        path, palette, box = Path(name), option.palette, QRectF(option.rect)
        chosen = bool(option.state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            shade = QColor(palette.color(QPalette.ColorRole.Highlight))
            shade.setAlpha(36)
            painter.setBrush(shade)
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), 6, 6)
        inner = box.adjusted(12, 6, -12, -6)
        half = inner.height() / 2.0
        top, below = QRectF(inner.topLeft(), inner.size()), QRectF(inner.topLeft(), inner.size())
        top.setHeight(half)
        below.setTop(inner.top() + half)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(top, Qt.AlignmentFlag.AlignVCenter, path.name)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, day_of(path))
        folder = option.fontMetrics.elidedText(str(path.parent), Qt.TextElideMode.ElideMiddle, int(below.width()))
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, folder)
        painter.restore()


def day_of(path: Path) -> str:
    """When a file was last changed."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    except OSError:
        return ""
