"""What stands above the clinical plots: the norm behind the curves, cycles, sides, and how all is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QWidget

from biomec_app.features.clinical.clinical_content import DEVIATIONS, SHOWN_SIDES, SOURCES, STYLES, ClinicalView
from biomec_app.plots.clinical.look import SIDE_COLOURS

SECTIONS: tuple[tuple[str, str, dict[Any, str]], ...] = (
    ("source", "Curves of", SOURCES),
    ("colours", "Colours", {key: one.title for key, one in SIDE_COLOURS.items()}),
    ("deviations", "Norm band", {value: f"Mean ± {value:g} SD" for value in DEVIATIONS}),
)
"""Menus of View: field of the view, title, and value -> words."""
SWITCHES = (
    ("nine", "Only the &Nine Curves of the Gait Profile Score"),
    ("strips", "&Distance from the Norm under Each Panel"),
)


class ViewBar(QWidget):
    """Boxes and a menu. ``wished`` : field of the view, and its value; ``norm_wished`` : name of a norm."""

    wished = Signal(str, object)
    norm_wished = Signal(str)
    norms_asked = Signal()

    def __init__(self, view: ClinicalView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self.norm = QComboBox()
        self.norm.setObjectName("clinical.norm")
        self.norm.setAccessibleName("Norm behind the curves")
        self.norm.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.norm.setMinimumContentsLength(24)
        self.norm.currentIndexChanged.connect(self._choose_norm)
        self.style_box = self._box("style", "Cycles", STYLES)
        self.sides_box = self._box("sides", "Sides", SHOWN_SIDES)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for text, widget in (("&Norm:", self.norm), ("C&ycles:", self.style_box), ("&Sides:", self.sides_box)):
            label = QLabel(text)
            label.setBuddy(widget)
            layout.addWidget(label)
            layout.addWidget(widget, 1 if widget is self.norm else 0)
        self.options = QToolButton()
        self.options.setText("&View")
        self.options.setObjectName("clinical.options")
        self.options.setToolTip("Whose curves, colours of the sides, width of the norm band")
        self.options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._items: dict[tuple[str, object], QAction] = {}
        self.options.setMenu(self._menu())
        norms = QPushButton("Norm &Data…")
        norms.setObjectName("clinical.norm-data")
        norms.setToolTip("Sets of norm data: import, make, remove")
        norms.clicked.connect(lambda _=False: self.norms_asked.emit())
        layout.addWidget(self.options)
        layout.addWidget(norms)

    def _box(self, field: str, label: str, options: Mapping[str, str]) -> QComboBox:
        box = QComboBox()
        box.setObjectName(f"clinical.{field}")
        box.setAccessibleName(label)
        for value, words in options.items():
            box.addItem(words, value)
        box.setCurrentIndex(box.findData(getattr(self._view, field)))
        box.currentIndexChanged.connect(lambda _: self.wished.emit(field, box.currentData()))
        return box

    def _menu(self) -> QMenu:
        menu = QMenu(self.options)
        menu.setObjectName("clinical.options.menu")
        for field, title, choices in SECTIONS:
            part = menu.addMenu(title)
            group = QActionGroup(part)
            for value, words in choices.items():
                item = self._item(part, f"{field}.{value}", words)
                group.addAction(item)
                item.triggered.connect(lambda _=False, field=field, value=value: self.wished.emit(field, value))
                self._items[field, value] = item
        for field, words in SWITCHES:
            item = self._item(menu, field, words)
            item.triggered.connect(lambda on, field=field: self.wished.emit(field, on))
            self._items[field, True] = item
        menu.aboutToShow.connect(self._check_items)
        return menu

    def _item(self, menu: QMenu, name: str, words: str) -> QAction:
        item = menu.addAction(words)
        item.setObjectName(f"clinical.{name}")
        item.setCheckable(True)
        return item

    def _check_items(self) -> None:
        for (field, value), item in self._items.items():
            item.setChecked(getattr(self._view, field) == value)

    def _choose_norm(self, _: int) -> None:
        wish = self.norm.currentData()
        if wish is not None:
            self.norm_wished.emit(str(wish))

    def show_view(self, view: ClinicalView) -> None:
        """Show what is chosen."""
        self._view = view
        for box, shown in ((self.style_box, view.style), (self.sides_box, view.sides)):
            box.setCurrentIndex(box.findData(shown))
