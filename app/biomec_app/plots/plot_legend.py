"""What the colours, lines and bands of all plots mean, told once above them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QPen

from biomec.body.loads.load_components import METHODS
from biomec.recording.marker_set import Side
from biomec_app.plots.plot_content import cycles_in_words
from biomec_app.plots.plot_pane import (
    BORDER,
    CONDITIONS,
    EVENT,
    LEFT,
    MIDDLE,
    OFF,
    RIGHT,
    STRIKE,
    Mark,
    Pane,
)
from biomec_app.plots.plot_style import FAINT_WIDTH, WIDTH, PlotStyle, dashed

MARK_WORDS = {
    BORDER: "cycle", STRIKE: "foot strike", OFF: "foot off", EVENT: "event",
}  # fmt: skip


def legend_of(panes: Sequence[Pane], style: PlotStyle) -> list[tuple[str, QPen | QColor]]:
    """What the colours and lines of these plots mean."""
    traces = [trace for pane in panes for trace in pane.traces]
    entries: list[tuple[str, QPen | QColor]] = []
    for side in (RIGHT, LEFT):
        if any(trace.colour == side for trace in traces):
            entries.append((side, style.cosmetic(QPen(style.colour(side), 2.5))))
    entries += [
        (name, style.cosmetic(QPen(style.colour(colour), 2.5)))
        for name, colour in dict.fromkeys((trace.name, trace.colour) for trace in traces if trace.colour in CONDITIONS)
    ]
    methods = dict.fromkeys((trace.curve.said, trace.curve.dashed, trace.faint) for trace in traces if trace.curve.said)
    if any(number or words in METHODS for words, number, _ in methods):
        entries += [(words, _stroke(style, number, faint)) for words, number, faint in methods]
    elif any(isinstance(trace.colour, int) and trace.curve.side is Side.LEFT for trace in traces):
        entries += [("right", _stroke(style, 0)), ("left", _stroke(style, 1))]
    if any(trace.sd is not None and trace.over is None for trace in traces):
        entries.append(("how far it may be off", _grey(style, 0.35)))
    elif any(trace.sd is not None for trace in traces):
        entries.append((f"mean ± SD of {cycles_in_words(panes)}", _grey(style, 0.35)))
    elif any(trace.singles is not None for trace in traces):
        entries.append((f"{cycles_in_words(panes)}; bold: their mean", style.cosmetic(QPen(_grey(style, 0.6), 1.0))))
    elif any(trace.over is not None for trace in traces):
        entries.append((cycles_in_words(panes), style.cosmetic(QPen(_grey(style, 0.6), 1.0))))
    kinds: dict[str, Mark] = {}
    for mark in (mark for pane in panes for mark in pane.marks):
        if mark.kind not in kinds or mark.colour == MIDDLE:
            kinds[mark.kind] = mark
    for kind, mark in kinds.items():
        pen = style.mark(mark)
        if mark.colour != MIDDLE:  # each side has its own
            pen.setColor(_grey(style, 0.9))
        entries.append((MARK_WORDS.get(kind, mark.label), pen))
    if any(len(pane.shade) for pane in panes):
        entries.append(("not converged", style.shade))
    return entries


def _stroke(style: PlotStyle, number: int, faint: bool = False) -> QPen:
    """Pen of whatever colour, with the dashes of a number."""
    pen = QPen(_grey(style, 0.5), FAINT_WIDTH) if faint else QPen(_grey(style, 1.0), WIDTH)
    return dashed(style.cosmetic(pen), number)


def _grey(style: PlotStyle, opacity: float) -> QColor:
    colour = QColor(style.theme.faint)
    colour.setAlphaF(opacity)
    return colour
