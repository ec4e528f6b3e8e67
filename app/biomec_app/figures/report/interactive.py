"""A clinical report as one HTML file in which a figure moves with the curves; needs no network and no library.

Curves and points are whole numbers of 16 bits in base64. The page forbids itself, by its content security policy, to
run any other script and to load anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.plain_text import html
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import FEWEST_FOR_BAND, Block, ClinicalReport, Course, Grid, Panel
from biomec.reporting.clinical.moving_figure import MovingFigure, moving_figure
from biomec_app.figures.report.logo import logo_png
from biomec_app.figures.report.markup import cards, document, image, note
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.printed import REMARK, page_html, who
from biomec_app.figures.report.remarks import pages_with_remarks
from biomec_app.kit.colours import LIGHT
from biomec_app.plots.clinical.look import OURS, SIDE_COLOURS, Look
from biomec_resources import resource

RAW_STRETCHES = 200  # of a cycle, for each the least and the greatest value of a raw signal
MOVING_BYTES = 400_000  # of all figures that move; where there are more, frames are left out
LEVELS, UNKNOWN = 32767, -32768


def written(report: ClinicalReport, options: ReportOptions, progress: Progress | None = None) -> bytes:
    """The bytes of the page."""
    figures = [moving_figure(trial, f"Trial {k + 1}") for k, trial in enumerate(options.trials)]
    if progress is not None:
        progress(0.3)
    return page(report, options, figures, progress).encode()


def page(
    report: ClinicalReport,
    options: ReportOptions,
    figures: Sequence[MovingFigure | None],
    progress: Progress | None = None,
) -> str:
    """The page. ``figures`` : of the trials of the visit, in its order; None for one that cannot be shown."""
    data = _Data()
    sections, tabs = [], []
    pages = pages_with_remarks(report)
    for k, one in enumerate(pages):
        title = one.title
        body = page_html(one, partial(data.grid, tab=k), options, title=False)
        if k == 0:
            body = cards(report.highlights) + body
        tabs.append(
            f'<button role="tab" id="tab-{k}" aria-controls="page-{k}" aria-selected="false" tabindex="-1">'
            f"{html(title)}</button>"
        )
        sections.append(
            f'<section role="tabpanel" class="page" id="page-{k}" aria-labelledby="tab-{k}">'
            f"<h2>{html(title)}</h2>\n{body}\n</section>"
        )
        if progress is not None:
            progress(0.3 + 0.7 * (k + 1) / (len(pages) + 1))
    logo = logo_png(report.heading.logo)
    mark = image(logo, "Logo") if logo is not None else ""
    data.move(figures)
    body = "\n".join(
        (
            f'<header class="top">{mark}<div><h1>{html(report.title)}</h1>',
            f"<p>{html(who(report.heading))}</p></div></header>",
            f'<div class="tabs" role="tablist" aria-label="Pages">{"".join(tabs)}</div>',
            f'<div class="work"><div class="pages">{"".join(sections)}</div>{FIGURE if data.moving else ""}</div>',
            f'<script type="application/json" id="data">{_json(data.content(options))}</script>',
        )
    )
    script = resource("report", "interactive.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    style = resource("report", "interactive.css").read_text("utf-8") + _own_style(options)
    made = document(report.title, body, REMARK, style, head)
    return made.replace("</main>", f"</main>\n<script>{script}</script>\n{NO_SCRIPT}", 1)


NO_SCRIPT = "<noscript><style>.page { display: block } .tabs, .figure { display: none }</style></noscript>"
FIGURE = """<aside class="figure">
<canvas id="figure" tabindex="0" role="img"
 aria-label="Figure that moves; drag it or press the arrow keys to turn it"></canvas>
<div class="controls"><button id="play" aria-pressed="false">Play</button>
<label>Speed <select id="speed"><option value="1">1</option><option value="0.5">½</option>
<option value="0.25">¼</option></select></label> <label>Trial <select id="trial"></select></label></div>
<input id="moment" type="range" min="0" max="1" value="0" step="1" aria-label="Moment of the trial">
<p id="said" aria-live="off"></p>
<p class="note">Click on a curve to move the figure there. Drag the figure to turn it.</p>
</aside>"""


def _own_style(options: ReportOptions) -> str:
    """Paper and colours of the sides as style."""
    right, left = _side_colours(options)
    dashed = SIDE_COLOURS.get(options.colours or OURS, SIDE_COLOURS[OURS]).left_dashed
    return (
        f"@page {{ size: {options.paper}; }}\n:root {{ --right: {right}; --left: {left}; --none: {LIGHT.text}; }}\n"
        f"{'.panel path.side-left { stroke-dasharray: 4 2; }' if dashed else ''}\n"
    )


def _side_colours(options: ReportOptions) -> tuple[str, str]:
    look = Look(colours=options.colours or OURS)
    return look.colour("right"), look.colour("left")


def _json(content: Any) -> str:
    """JSON inside an element of a script: no text in it can end the element."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@dataclass
class _Data:
    """What the script draws."""

    grids: list[Any] = field(default_factory=list)
    moving: list[Any] = field(default_factory=list)
    _blobs: list[Any] = field(default_factory=list)
    _known: dict[tuple[str, float, float], int] = field(default_factory=dict)

    def content(self, options: ReportOptions) -> dict[str, Any]:
        """All of it, as plain JSON."""
        right, left = _side_colours(options)
        colours = {"right": right, "left": left, "none": LIGHT.text, "hair": LIGHT.line}
        return {
            "grids": self.grids,
            "trials": self.moving,
            "blobs": self._blobs,
            "fewest": FEWEST_FOR_BAND,
            "colours": colours,
        }

    def blob(self, values: FloatArray) -> int:
        """Number of an array; equal arrays are kept once."""
        finite = values[np.isfinite(values)]
        low = float(finite.min()) if finite.size else 0.0
        step = (float(finite.max()) - low) / (2 * LEVELS) if finite.size else 0.0
        whole = np.full(values.shape, UNKNOWN, dtype="<i2")
        known = np.isfinite(values)
        whole[known] = np.round((values[known] - low) / step).astype(int) - LEVELS if step > 0.0 else -LEVELS
        text = base64.b64encode(np.ascontiguousarray(whole).tobytes()).decode("ascii")
        key = text, low, step
        if key not in self._known:
            self._known[key] = len(self._blobs)
            self._blobs.append({"low": low, "step": step, "data": text})
        return self._known[key]

    def grid(self, grid: Grid, below: Sequence[Block], tab: int) -> str:
        """Keep a grid, and return the element in which the script draws it, whatever stands below it."""
        panels = [None if one is None else self._panel(one, grid.style) for row in grid.rows for one in row]
        columns = max((len(row) for row in grid.rows), default=1)
        self.grids.append({"columns": columns, "panels": panels})
        title = f"<h3>{html(grid.caption)}</h3>" if grid.caption else ""
        legend = "".join(
            f'<li class="side-{side or "none"}{" earlier" if visit else ""}">{html(label)}</li>'
            for side, visit, label in _legend(grid)
        )
        place = f'<div class="grid" data-grid="{len(self.grids) - 1}" data-tab="{tab}"></div>'
        return f'{title}<ul class="legend">{legend}</ul>{place}{note(grid.note)}'

    def _panel(self, panel: Panel, style: str) -> dict[str, Any]:
        band = panel.band
        return {
            "title": panel.title,
            "up": panel.up,
            "down": panel.down,
            "low": panel.low,
            "high": panel.high,
            "missing": panel.missing,
            "raw_limit": panel.raw_limit,
            "raw_unit": panel.raw_unit,
            "style": style,
            "active": [list(one) for one in panel.active],
            "band": None
            if band is None
            else {"low": self.blob(band.low), "high": self.blob(band.high), "foot_off": band.foot_off},
            "courses": [self._course(one) for one in panel.courses],
        }

    def _course(self, course: Course) -> dict[str, Any]:
        return {
            "side": course.side,
            "visit": course.visit,
            "label": course.label,
            "cycles": len(course.curves),
            "samples": course.curves.shape[1],
            "curves": self.blob(course.curves),
            "raw": None if course.raw is None else self.blob(_extremes(course.raw)),
            "foot_off": course.foot_off,
            "opposite_foot_off": course.opposite_foot_off,
            "opposite_contact": course.opposite_contact,
            "static": course.static,
            "origins": [[one.trial, one.number, one.first, one.last] for one in course.origins],
        }

    def move(self, figures: Sequence[MovingFigure | None]) -> None:
        """Keep the figures that move, with as many frames as there is room for."""
        if not figures or all(one is None for one in figures):
            return
        size = sum(2 * one.points.size for one in figures if one is not None)
        thin = max(1, int(np.ceil(size / MOVING_BYTES)))
        for k, one in enumerate(figures):
            self.moving.append(self._trial(one, thin) if one is not None else _nothing(k))

    def _trial(self, one: MovingFigure, thin: int) -> dict[str, Any]:
        points = one.points[::thin]
        heights = points[..., 1][np.isfinite(points[..., 1])]
        floor = min(0.0, float(heights.min())) if heights.size else 0.0
        wide = points[..., ::2]
        spread = [np.nanmax(frame, axis=0) - np.nanmin(frame, axis=0) for frame in wide if np.isfinite(frame).any()]
        return {
            "name": one.name,
            "frames": one.frames,
            "rate": one.rate_hz,
            "step": one.step * thin,
            "samples": len(points),
            "count": points.shape[1],
            "points": self.blob(points),
            "lines": [{"points": list(numbers), "side": side} for numbers, side in one.lines],
            "floor": floor,
            "height": max(0.3, float(heights.max()) - floor) if heights.size else 1.0,
            "reach": float(np.max(spread)) if spread else 1.0,
        }


def _nothing(k: int) -> dict[str, Any]:
    """A trial without a figure, so that the others keep their numbers."""
    return {"name": f"Trial {k + 1}", "frames": 1, "rate": 1.0, "step": 1, "samples": 1, "count": 0, "points": 0,
            "lines": [], "floor": 0.0, "height": 1.0, "reach": 1.0}  # fmt: skip


def _legend(grid: Grid) -> list[tuple[str, int, str]]:
    """Sides and visits of a grid with their labels, each once."""
    found = {
        (one.side, one.visit): one.label
        for row in grid.rows
        for panel in row
        if panel is not None
        for one in panel.courses
    }
    return [(side, visit, label) for (side, visit), label in found.items() if label]


def _extremes(raw: FloatArray) -> FloatArray:
    """Least and greatest value over all cycles (K, M) in stretches of the cycle: (2 · stretches,)."""
    count = min(RAW_STRETCHES, raw.shape[1])
    parts = np.array_split(raw, count, axis=1)
    known = [part[np.isfinite(part)] for part in parts]
    low = [float(part.min()) if part.size else np.nan for part in known]
    high = [float(part.max()) if part.size else np.nan for part in known]
    return np.array([*low, *high])
