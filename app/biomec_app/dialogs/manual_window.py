"""The manual in a window: contents and search on the left, a page on the right. It needs no browser and no network."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QBuffer, QSize, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QCloseEvent,
    QColor,
    QDesktopServices,
    QFont,
    QImage,
    QImageReader,
    QKeySequence,
    QShortcut,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec_app.dialogs import manual
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.side_window import SideWindow, open_beside

NAME = Qt.ItemDataRole.UserRole
WIDEST_PICTURE = 860  # pixels


class PageView(QTextBrowser):
    """A page of the manual; links between pages are followed here, others by the desktop."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.name = ""
        self._pictures: dict[str, QImage] = {}
        self._wanted: list[tuple[str, bytes, QSize]] = []
        self._jobs = Jobs(self)
        self.setObjectName("manual-page")
        self.setAccessibleName("Page of the manual")
        self.setOpenLinks(False)
        self.document().setDocumentMargin(22)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 1.08)
        self.setFont(font)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Pictures of the manual: an empty place of their size until they are read."""
        name = QUrl(name)
        key = name.toString()
        if key in self._pictures:
            return self._pictures[key]
        found = manual.picture(key) if name.isRelative() else None
        if found is None:
            return None
        ratio = self.devicePixelRatioF()
        width = min(WIDEST_PICTURE, max(200, self.viewport().width() - 60))
        buffer = QBuffer()
        buffer.setData(found)
        size = QImageReader(buffer).size()
        if size.width() > width * ratio:
            size = size.scaled(round(width * ratio), size.height(), Qt.AspectRatioMode.KeepAspectRatio)
        self._pictures[key] = _place(size, ratio)
        self._wanted.append((key, found, size))
        self._read_next()
        return self._pictures[key]

    def _read_next(self) -> None:
        """Read the pictures one after the other, in the background."""
        if self._jobs.busy or not self._wanted:
            return
        key, found, size = self._wanted.pop(0)
        ratio = self.devicePixelRatioF()
        self._jobs.start(key, lambda progress: _read(found, size, ratio), lambda image: self._was_read(key, image))

    def _was_read(self, key: str, image: QImage) -> None:
        self._pictures[key] = image
        self.document().addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(key), image)
        self.viewport().update()
        self._read_next()

    def stop(self) -> None:
        """Read no more pictures."""
        self._wanted.clear()
        self._jobs.cancel()
        self._jobs.wait(5.0)

    def show_page(self, name: str, anchor: str = "") -> None:
        """Show a page, from its top or from a heading."""
        if name != self.name:
            self.name = name
            self.document().clear()
            self.setMarkdown(manual.pages()[name].text)
            theme = self._context.theme
            _tidy(self.document(), QColor(theme.line), QColor(theme.window))
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)
        place = _heading(self.document(), anchor) if anchor else None
        if place is not None:
            self.setTextCursor(QTextCursor(place))
            top = self.document().documentLayout().blockBoundingRect(place).top()
            self.verticalScrollBar().setValue(round(top) - 8)

    def mark(self, words: str) -> None:
        """Go to the first place of the page that has the words."""
        found = self.document().find(words)
        if not found.isNull():
            self.setTextCursor(found)
            self.ensureCursorVisible()


class ManualWindow(SideWindow):
    """Contents, search and pages; back and forward as in a browser."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "manual", "User Guide", parent)
        self._past: list[str] = []
        self._future: list[str] = []
        self.page, self.tree, self.search = PageView(context), QTreeWidget(), QLineEdit()
        self.back, self.forward = QPushButton("← &Back"), QPushButton("&Forward →")
        self._build()
        self._show_contents()
        self.go(manual.FIRST)

    def _build(self) -> None:
        self.search.setObjectName("manual-search")
        self.search.setAccessibleName("Search in the manual")
        self.search.setPlaceholderText("Search in the manual (Ctrl+F)")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._sought)
        self.tree.setObjectName("manual-contents")
        self.tree.setAccessibleName("Contents of the manual")
        self.tree.setHeaderHidden(True)
        self.tree.setWordWrap(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.tree.setIndentation(12)
        self.tree.setStyleSheet("QTreeWidget::item { padding: 2px 0px; }")
        self.tree.currentItemChanged.connect(self._chosen)
        self.page.anchorClicked.connect(self.follow)
        top = QHBoxLayout()
        for button, name, tip, act in (
            (self.back, "manual-back", "The page before (Alt+Left)", self.go_back),
            (self.forward, "manual-forward", "The page that you came back from (Alt+Right)", self.go_forward),
        ):
            button.setObjectName(name)
            button.setToolTip(tip)
            button.clicked.connect(act)
            top.addWidget(button)
        top.addStretch(1)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(top)
        column.addWidget(self.page, 1)
        left = QWidget()
        beside = QVBoxLayout(left)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addWidget(self.search)
        beside.addWidget(self.tree, 1)
        parts = QSplitter()
        parts.addWidget(left)
        parts.addWidget(right)
        parts.setStretchFactor(1, 1)
        parts.setSizes([280, 760])
        parts.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addWidget(parts)
        shortcuts: tuple[tuple[QKeySequence, Callable[[], object]], ...] = (
            (QKeySequence("Esc"), self.close), (QKeySequence(QKeySequence.StandardKey.Find), self.search.setFocus),
            (QKeySequence("Alt+Left"), self.go_back), (QKeySequence("Alt+Right"), self.go_forward),
        )  # fmt: skip
        for keys, called in shortcuts:
            QShortcut(keys, self, called)
        self.resize(1080, 680)

    # ------------------------------------------------------------------ contents and search

    def _show_contents(self) -> None:
        self.tree.blockSignals(True)
        self.tree.clear()
        for heading, names in manual.contents().items():
            top = QTreeWidgetItem(self.tree, [heading])
            font = QFont(self.tree.font())
            font.setBold(True)
            top.setFont(0, font)
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for name in names:
                item = QTreeWidgetItem(top, [manual.pages()[name].title])
                item.setToolTip(0, item.text(0))
                item.setData(0, NAME, name)
                if name == self.page.name:
                    self.tree.setCurrentItem(item)
        self.tree.expandAll()
        self.tree.blockSignals(False)

    def _sought(self, words: str) -> None:
        if len(words.strip()) < 2:
            self._show_contents()
            return
        self.tree.blockSignals(True)
        self.tree.clear()
        hits = manual.search(words)
        for hit in hits:
            item = QTreeWidgetItem(self.tree, [f"{manual.pages()[hit.page].title} ({hit.count})"])
            item.setData(0, NAME, hit.page)
            item.setToolTip(0, hit.around)
        if not hits:
            none = QTreeWidgetItem(self.tree, ["No page has these words."])
            none.setFlags(Qt.ItemFlag.NoItemFlags)
        self.tree.blockSignals(False)

    def _chosen(self, item: QTreeWidgetItem | None, _: object = None) -> None:
        name = None if item is None else item.data(0, NAME)
        if name:
            self.go(name)
            if self.search.text().strip():
                self.page.mark(self.search.text().strip().split()[0])

    # ------------------------------------------------------------------ pages

    def go(self, name: str, anchor: str = "") -> None:
        """Show a page, and remember the one before."""
        if self.page.name and name != self.page.name:
            self._past.append(self.page.name)
            self._future.clear()
        self._show(name, anchor)

    def _show(self, name: str, anchor: str = "") -> None:
        self.page.show_page(name, anchor)
        self.setWindowTitle(f"{manual.pages()[name].title} – User Guide of Biomec")
        self.back.setEnabled(bool(self._past))
        self.forward.setEnabled(bool(self._future))
        if not self.search.text().strip():
            self._show_contents()

    def go_back(self) -> None:
        """Show the page before."""
        if self._past:
            self._future.append(self.page.name)
            self._show(self._past.pop())

    def go_forward(self) -> None:
        """Show the page that was left by going back."""
        if self._future:
            self._past.append(self.page.name)
            self._show(self._future.pop())

    def follow(self, link: QUrl) -> None:
        """Follow a link: to a page, to a place of this one, or out of the manual."""
        if link.isRelative():
            name = link.path() or self.page.name
            if name in manual.pages():
                self.go(name, link.fragment())
        elif not QDesktopServices.openUrl(link):
            self.context.user.tell("User Guide", f"Open this address with a web browser: {link.toString()}")

    def sizeHint(self) -> QSize:
        """Room for contents and a page."""
        return QSize(1080, 680)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what the page is doing."""
        self.page.stop()
        super().closeEvent(event)


def _place(size: QSize, ratio: float) -> QImage:
    """An empty picture."""
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    return image


def _read(found: bytes, size: QSize, ratio: float) -> QImage:
    image = QImage.fromData(found)
    if image.size() != size:
        image = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    image.setDevicePixelRatio(ratio)
    return image


def _heading(document: QTextDocument, anchor: str) -> QTextBlock | None:
    """Heading of that anchor, or else the first paragraph that begins with its words."""
    block = document.begin()
    begins = None
    while block.isValid():
        if block.blockFormat().headingLevel() and _slug(block.text()) == anchor.lower():
            return block
        if begins is None and block.text().lstrip("[").lower().startswith(anchor.lower()):
            begins = QTextBlock(block)
        block = block.next()
    return begins


def _slug(text: str) -> str:
    return re.sub(r"[^\w-]", "", text.strip().lower().replace(" ", "-"))


def _tidy(document: QTextDocument, line: QColor, shade: QColor) -> None:
    """Tables with thin lines and room in their cells, code on a shade."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            look = frame.format()
            look.setCellPadding(5)
            look.setCellSpacing(0)
            look.setBorderCollapse(True)
            look.setBorder(1)
            look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            look.setBorderBrush(QBrush(line))
            look.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            look.setTopMargin(6)
            look.setBottomMargin(10)
            frame.setFormat(look)
    block = document.begin()
    while block.isValid():
        if block.blockFormat().hasProperty(block.blockFormat().Property.BlockCodeFence.value):
            fenced = block.blockFormat()
            fenced.setBackground(shade)
            fenced.setLeftMargin(12)
            QTextCursor(block).setBlockFormat(fenced)
        block = block.next()


def open_manual(context: Context) -> ManualWindow:
    """Show the manual; the window that is open comes to the front."""
    return open_beside(context, ManualWindow)
