"""The tree of a recording: trials, model, results and all signals, with a search."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QMenu, QTreeView, QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec_app.kit.theme import Theme
from biomec_app.session.context import Context
from biomec_app.shell.tree_content import CURRENT, Node, filtered, tree
from biomec_app.shell.tree_model import LineDelegate, TreeModel

OPEN_AT_FIRST = ("recording", "results", "signals")
MOST_OPENED = 400  # lines that a search opens by itself


class Browser(QWidget):
    """Shows what there is; a click goes there, a double-click plots or runs it."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("browser")
        self._picked: tuple[str | None, str | None] = (None, None)
        self._known: Analysis | None = None
        self._root: Node | None = None
        self._opened: set[str] = set(OPEN_AT_FIRST)
        self._build()
        document = self._document
        document.opened.connect(self._new_recording)
        document.analysis_changed.connect(self.refresh)
        document.selection_changed.connect(self._selection_changed)
        self.refresh()

    def _build(self) -> None:
        self.search = QLineEdit()
        self.search.setObjectName("browser.search")
        self.search.setAccessibleName("Search in the tree")
        self.search.setPlaceholderText("Search, e.g. elbow flexion")
        self.search.setToolTip("Show only lines with these words (Ctrl+Shift+F)")
        self.search.setClearButtonEnabled(True)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(150)
        self._wait.timeout.connect(self._show)
        self.search.textChanged.connect(lambda _: self._wait.start())
        self.search.returnPressed.connect(self._enter_tree)
        self.model = TreeModel(lambda: self._document.selection.curves, self.choose, self)
        self.lines = LineDelegate(self)
        self.view = QTreeView()
        self.view.setObjectName("browser.tree")
        self.view.setAccessibleName("Recording, model, results and signals")
        self.view.setModel(self.model)
        self.view.setItemDelegate(self.lines)
        self.view.setHeaderHidden(True)
        self.view.setUniformRowHeights(True)
        self.view.setIndentation(12)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.view.setExpandsOnDoubleClick(False)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.view.setDragEnabled(True)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.clicked.connect(self._clicked)
        self.view.doubleClicked.connect(self._activated)
        self.view.expanded.connect(lambda index: self._note(index, True))
        self.view.collapsed.connect(lambda index: self._note(index, False))
        enter = QShortcut(QKeySequence(Qt.Key.Key_Return), self.view)
        enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(lambda: self._activated(self.view.currentIndex()))
        find = QShortcut(QKeySequence("Ctrl+Shift+F"), self)
        find.setContext(Qt.ShortcutContext.WindowShortcut)
        find.activated.connect(lambda: self.search.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.nothing = QLabel()
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self.nothing.setEnabled(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.search)
        layout.addWidget(self.nothing)
        layout.addWidget(self.view, 1)

    # ------------------------------------------------------------------ content

    def _new_recording(self) -> None:
        self._opened = set(OPEN_AT_FIRST)
        self.search.clear()
        self.refresh()

    def refresh(self) -> None:
        """Show the tree of the analysis as it is now; what was open stays open."""
        analysis = self._document.analysis if self._document.is_open else None
        if analysis is self._known and analysis is not None:
            return
        self._known = analysis
        self._root = None if analysis is None else tree(analysis)
        self._show()

    def _show(self) -> None:
        root = self._root or Node("", "")
        text = self.search.text().strip()
        shown = filtered(root, text) if text else root
        bar = self.view.verticalScrollBar().value()
        self.model.set_root(shown or Node("", ""))
        empty = shown is None or not shown.children
        self.nothing.setVisible(empty)
        self.nothing.setText(f"Nothing here is called “{text}”." if text else "No recording is open.")
        if text:
            self._open_found(shown)
        else:
            self._open_again(QModelIndex())
            self.view.verticalScrollBar().setValue(bar)

    def _open_found(self, root: Node | None) -> None:
        if root is None:
            return
        left = MOST_OPENED
        waiting = [self.model.index(row, 0) for row in range(self.model.rowCount())]
        while waiting and left > 0:
            index = waiting.pop(0)
            node = self.model.node(index)
            if node.children and not self._holds(node):
                self.view.expand(index)
                left -= len(node.children)
                waiting += [self.model.index(row, 0, index) for row in range(len(node.children))]

    def _holds(self, node: Node) -> bool:
        """Whether a line holds all words by itself, so that it need not be opened."""
        words = self.search.text().lower().split()
        return all(word in f"{node.label} {node.words} {node.meaning}".lower() for word in words)

    def _open_again(self, parent: QModelIndex) -> None:
        for row in range(self.model.rowCount(parent)):
            index = self.model.index(row, 0, parent)
            if self.model.node(index).key in self._opened:
                self.view.expand(index)
                self._open_again(index)

    def _note(self, index: QModelIndex, opened: bool) -> None:
        if self.search.text().strip():
            return
        key = self.model.node(index).key
        (self._opened.add if opened else self._opened.discard)(key)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self.lines.faint = theme.faint
        self.model.set_theme(theme)
        self.view.viewport().update()

    # ------------------------------------------------------------------ what the user does

    def choose(self, keys: Sequence[str], on: bool) -> None:
        """Add curves to the plots, or take them away."""
        chosen = self._document.selection.curves
        rest = tuple(key for key in chosen if key not in set(keys))
        self._document.select(curves=(*chosen, *(key for key in keys if key not in chosen)) if on else rest)

    def _clicked(self, index: QModelIndex) -> None:
        node = self.model.node(index)
        if node.segment is not None:
            self._document.select(segment=node.segment, point=None)
        elif node.point is not None:
            self._document.select(point=node.point, segment=None)
        if node.frame is not None and node.key.startswith("recording/event"):
            self._document.set_frame(node.frame)

    def _activated(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        node = self.model.node(index)
        if node.step is not None:
            self._run(node)
        elif node.curves and not node.children:
            self.choose(node.curves, not set(node.curves) <= set(self._document.selection.curves))
        elif node.frame is not None:
            self._document.set_frame(node.frame)
        else:
            self.view.setExpanded(index, not self.view.isExpanded(index))

    def _run(self, node: Node) -> None:
        if node.step is None or node.state == CURRENT:
            return
        try:
            self.context.run_until(node.step)
        except BiomecError as error:
            self.context.user.fail(node.label, str(error))

    def _enter_tree(self) -> None:
        self._wait.stop()
        self._show()
        self.view.setFocus()
        self.view.setCurrentIndex(self.model.index(0, 0))

    def _selection_changed(self) -> None:
        self.view.viewport().update()
        picked = self._document.selection.point, self._document.selection.segment
        if picked != self._picked:
            self._picked = picked
            self._reveal(*picked)

    def _reveal(self, point: str | None, segment: str | None) -> None:
        """Show the line of what was picked elsewhere, as in the 3-D view."""
        current = self.model.node(self.view.currentIndex()) if self.view.currentIndex().isValid() else None
        code = (point or "").partition(".")[2] or point
        if current is not None and (point, segment) in ((None, current.segment), (current.point, None)):
            return  # it was picked here, or nothing is
        for name, of in ((code, "point"), (segment, "segment")):
            index = self._found(name, of, QModelIndex()) if name else None
            if index is not None:
                self.view.setCurrentIndex(index)
                self.view.scrollTo(index)
                return

    def _found(self, name: str, of: str, parent: QModelIndex) -> QModelIndex | None:
        """First line whose ``of``, "point" or "segment", is a name."""
        for row in range(self.model.rowCount(parent)):
            index = self.model.index(row, 0, parent)
            found = index if getattr(self.model.node(index), of) == name else self._found(name, of, index)
            if found is not None:
                return found
        return None

    # ------------------------------------------------------------------ menu of a line

    def menu_of(self, nodes: Sequence[Node]) -> QMenu:
        """What can be done with these lines."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        keys = tuple(dict.fromkeys(key for node in nodes for key in node.curves))
        chosen = set(self._document.selection.curves)
        node = nodes[0]
        if keys:
            menu.addAction("Plot only this", lambda: self._document.select(curves=keys))
            if not set(keys) <= chosen:
                menu.addAction("Add to the plots", lambda: self.choose(keys, True))
            if set(keys) & chosen:
                menu.addAction("Remove from the plots", lambda: self.choose(keys, False))
        if node.segment is not None:
            menu.addAction("Show in the 3-D view", lambda: self._document.select(segment=node.segment, point=None))
        elif node.point is not None:
            menu.addAction("Show in the 3-D view", lambda: self._document.select(point=node.point, segment=None))
        if node.frame is not None:
            words = "Go there" if "event" in node.key else "Go to the first gap"
            menu.addAction(words, lambda: self._document.set_frame(node.frame or 0))
        if node.step is not None:
            run = menu.addAction("Run", lambda: self._run(node))
            run.setEnabled(node.state != CURRENT)
            run.setToolTip(node.tip)
        if menu.actions():
            menu.addSeparator()
        names = "\n".join(one.label for one in nodes)
        menu.addAction(
            "Copy name" if len(nodes) == 1 else "Copy names", lambda: QGuiApplication.clipboard().setText(names)
        )
        menu.addAction("Collapse all", self.view.collapseAll)
        return menu

    def _show_menu(self, place: QPoint) -> None:
        nodes = [self.model.node(index) for index in self.view.selectionModel().selectedIndexes()]
        if nodes:
            self.menu_of(nodes).popup(self.view.viewport().mapToGlobal(place))
