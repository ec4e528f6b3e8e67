"""What a feature brings to the window: panels, curves, figures, overlays and menu items, in one entry of `table`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from biomec_app.curves.catalogue import Finder, Provider, register_curves
from biomec_app.figures.kind import FigureKind
from biomec_app.figures.registry import register_figure
from biomec_app.session.action import Action
from biomec_app.session.context import Context
from biomec_app.viewer.overlays import Overlay, register_overlay

LEFT, RIGHT, BOTTOM = AREAS = (
    Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea,
)  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """A panel of the main window.

    name  : what the program calls it, such as ``context.user.show_panel(name)``
    title : what its tab and its menu item say
    area  : side of the window where it lies over the others of that side, `LEFT`, `RIGHT` or `BOTTOM`
    make  : makes the widget; its ``set_theme``, if it has one, is called when the theme changes
    """

    name: str
    title: str
    area: Qt.DockWidgetArea
    make: Callable[[Context], QWidget]


@dataclass(frozen=True)
class Feature:
    """A part of the program that others do not know.

    curves   : providers of curves, listed after the provider called ``curves_after``, or last
    finder   : finds curves by keys that are not listed
    figures  : figures of the menu Signal Analysis, as a group of their own
    overlays : name in `View.overlays` -> class, in the menu after ``overlays_after``, or last
    actions  : items of the menus, after those of the features before
    tools    : items of the menus that have a button over the 3-D view too
    """

    name: str
    panels: tuple[Panel, ...] = ()
    curves: tuple[Provider, ...] = ()
    curves_after: str = ""
    finder: Finder | None = None
    figures: tuple[FigureKind, ...] = ()
    overlays: Mapping[str, type[Overlay]] = field(default_factory=dict)
    overlays_after: str = ""
    actions: tuple[Action, ...] = ()
    tools: tuple[Action, ...] = ()

    def register(self) -> None:
        """Hand curves, figures and overlays to the layers below, which list them."""
        register_curves(*self.curves, after=self.curves_after, finder=self.finder)
        for figure in self.figures:
            register_figure(figure, self.name)
        after = self.overlays_after
        for name, overlay in self.overlays.items():
            register_overlay(name, overlay, after)
            after = name
