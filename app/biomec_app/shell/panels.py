"""The panels of the main window: its own and those of the features, in the order of their keys, Alt+1 and so on."""

from __future__ import annotations

from biomec_app.features.feature import AREAS, BOTTOM, LEFT, RIGHT, Panel
from biomec_app.features.table import FEATURES
from biomec_app.plots.plots import PlotPanel
from biomec_app.shell.actions import utilities
from biomec_app.shell.browser import Browser
from biomec_app.shell.history import HistoryPanel

PANELS: tuple[Panel, ...] = tuple(
    sorted(
        (
            Panel("browser", "Recording", LEFT, Browser),
            Panel("plots", "Signals", RIGHT, lambda context: PlotPanel(context, utilities.ACTIONS)),
            *(panel for feature in FEATURES for panel in feature.panels),
            Panel("history", "History", BOTTOM, HistoryPanel),
        ),
        key=lambda panel: AREAS.index(panel.area),
    )
)
