"""Choosing what is plotted: by kind, side and component, with a search and a tick for every curve."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from biomec.recording.marker_set import Side
from biomec_app.curves.catalogue import Catalogue
from biomec_app.curves.curve import Curve
from biomec_app.kit.words import origin

ALL_KINDS, ALL_COMPONENTS = "All kinds", "All components"
SIDE_CHOICES = {"Both sides": None, "Right": Side.RIGHT, "Left": Side.LEFT}
KEY = Qt.ItemDataRole.UserRole
ENOUGH = 24  # curves beyond which the number of plots is shown


class SignalChooser(QFrame):
    """A panel that drops down from its button; what is ticked is plotted at once.

    chosen : keys of the ticked curves, in the order in which they were ticked
    """

    chosen = Signal(tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setObjectName("signal chooser")
        self.setAccessibleName("Choose signals")
        self._catalogue = Catalogue(())
        self._keys: list[str] = []
        self._filling = False
        self.kind, self.side, self.component = QComboBox(), QComboBox(), QComboBox()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search, such as “elbow” or “C7 Y”")
        self.search.setClearButtonEnabled(True)
        self.tree, self.model = QTreeView(), QStandardItemModel(self)
        self.tree.setModel(self.model)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.count = QLabel()
        self.none, self.close_ = QPushButton("Clear"), QPushButton("Done")
        for widget, name, words in (
            (self.kind, "kind of signal", "Kind of signal"),
            (self.side, "side", "Side of the body"),
            (self.component, "component", "Component of the signal"),
            (self.search, "search signals", "Search signals"),
            (self.tree, "signals", "Signals, by joint, segment or marker"),
            (self.none, "clear signals", "Plot nothing"),
            (self.close_, "close chooser", "Close this list (Esc)"),
        ):
            widget.setObjectName(name)
            widget.setAccessibleName(words)
            widget.setToolTip(words)
        self.side.addItems(list(SIDE_CHOICES))
        grid = QGridLayout()
        grid.addWidget(self.search, 0, 0, 1, 2)
        grid.addWidget(self.kind, 1, 0, 1, 2)
        grid.addWidget(self.side, 2, 0)
        grid.addWidget(self.component, 2, 1)
        grid.setColumnStretch(1, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.count, 1)
        foot.addWidget(self.none)
        foot.addWidget(self.close_)
        layout = QVBoxLayout(self)
        layout.addLayout(grid)
        layout.addWidget(self.tree, 1)
        layout.addLayout(foot)
        self.resize(400, 480)
        self.kind.currentIndexChanged.connect(self._kind_changed)
        for signal in (self.side.currentIndexChanged, self.component.currentIndexChanged, self.search.textChanged):
            signal.connect(self._fill)
        self.model.itemChanged.connect(self._ticked)
        self.tree.activated.connect(self._toggle)
        self.none.clicked.connect(lambda: self._choose([]))
        self.close_.clicked.connect(self.hide)

    # ------------------------------------------------------------------ what there is

    def show_catalogue(self, catalogue: Catalogue, keys: Iterable[str]) -> None:
        """List these curves, and tick those of the keys."""
        if catalogue is not self._catalogue:
            self._catalogue = catalogue
            kind = self.kind.currentText()
            self.kind.blockSignals(True)
            self.kind.clear()
            self.kind.addItems([*catalogue.kinds, ALL_KINDS])
            self.kind.setCurrentText(kind)
            self.kind.blockSignals(False)
            self._kind_changed()
        self.set_keys(keys)

    def set_keys(self, keys: Iterable[str]) -> None:
        """Tick these curves."""
        keys = list(keys)
        if keys != self._keys:
            self._keys = keys
            self._tick_all()

    def open_below(self, widget: QWidget) -> None:
        """Drop down from a button."""
        self.move(widget.mapToGlobal(QPoint(0, widget.height() + 2)))
        self.show()
        self.search.setFocus()

    def _curves(self) -> list[Curve]:
        kind = self.kind.currentText()
        return [curve for curve in self._catalogue if kind in (ALL_KINDS, curve.kind)]

    def _kind_changed(self, *_: object) -> None:
        components = list(dict.fromkeys(curve.component for curve in self._curves()))
        before = self.component.currentText()
        self.component.blockSignals(True)
        self.component.clear()
        self.component.addItems([ALL_COMPONENTS, *(components if len(components) <= 60 else ())])
        self.component.setCurrentText(before if before in components else ALL_COMPONENTS)
        self.component.blockSignals(False)
        self._fill()

    def _fill(self, *_: object) -> None:
        words = self.search.text().lower().split()
        side, component = SIDE_CHOICES[self.side.currentText()], self.component.currentText()
        curves = list(self._catalogue) if words else self._curves()
        groups: dict[str, list[Curve]] = {}
        for curve in curves:
            text = f"{curve.kind} {curve.group} {curve.label} {curve.words}".lower()
            if not all(word in text for word in words) or (side is not None and curve.side is not side):
                continue
            if component not in (ALL_COMPONENTS, curve.component) and not words:
                continue
            several = bool(words) or self.kind.currentText() == ALL_KINDS
            group = f"{curve.group}  {curve.words}" if curve.words else curve.group
            groups.setdefault(f"{group}  ·  {curve.kind}" if several else group, []).append(curve)
        self._filling = True
        self.model.clear()
        for group, members in groups.items():
            head = QStandardItem(group)
            head.setEditable(False)
            head.setCheckable(True)
            head.setData("", KEY)
            head.setToolTip(f"{group}. {origin(members[0].group)}".rstrip())
            for curve in members:
                item = QStandardItem(f"{curve.label}  [{curve.unit}]" if curve.unit else curve.label)
                item.setEditable(False)
                item.setCheckable(True)
                item.setData(curve.key, KEY)
                item.setToolTip(f"{curve.kind}: {curve.label}. {curve.detail}")
                head.appendRow(item)
            self.model.appendRow(head)
        self._filling = False
        self._tick_all()
        if sum(len(members) for members in groups.values()) <= 60 or words:
            self.tree.expandAll()

    # ------------------------------------------------------------------ ticks

    def _tick_all(self) -> None:
        self._filling = True
        chosen = set(self._keys)
        for r in range(self.model.rowCount()):
            head = self.model.item(r)
            on = 0
            for k in range(head.rowCount()):
                ticked = head.child(k).data(KEY) in chosen
                on += ticked
                head.child(k).setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
            partly = Qt.CheckState.PartiallyChecked if on else Qt.CheckState.Unchecked
            head.setCheckState(Qt.CheckState.Checked if on == head.rowCount() else partly)
        self._filling = False
        known = len(self._catalogue.found(self._keys))
        many = "; many at once are hard to read" if known > ENOUGH else ""
        self.count.setText(f"{known} curve{'s' * (known != 1)} chosen{many}")

    def _ticked(self, item: QStandardItem) -> None:
        if self._filling:
            return
        items = [item.child(k) for k in range(item.rowCount())] or [item]
        keys = [str(one.data(KEY)) for one in items]
        if item.checkState() == Qt.CheckState.Checked:
            self._choose([*self._keys, *(key for key in keys if key not in self._keys)])
        else:
            self._choose([key for key in self._keys if key not in keys])

    def _toggle(self, index: QModelIndex) -> None:
        item = self.model.itemFromIndex(index)
        checked = item.checkState() == Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked)

    def _choose(self, keys: list[str]) -> None:
        self._keys = keys
        self._tick_all()
        self.chosen.emit(tuple(keys))
