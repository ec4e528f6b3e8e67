"""What an analysis leaves for the eye: three pictures and a report that can be printed. Needs no screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from biomec.base.together import replaced_together
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.doctor import probe
from biomec.pipeline.analysis import Analysis
from biomec.reporting.content.device_section import DEVICES
from biomec.reporting.content.report import ANGLES, QUALITY, report_content
from biomec_app.figures.export import save_figure
from biomec_app.figures.kind import compose
from biomec_app.figures.registry import figure_named
from biomec_app.figures.report.page import Picture, page
from biomec_app.figures.style import PAPER

DOTS = 120  # an inch
REPORT = "report.html"
BODY = "moments"  # figure of the body
PICTURES = {
    ANGLES: ("angles.png", "angle-overview"),
    DEVICES: ("devices.png", "devices"),
    QUALITY: ("quality.png", "quality"),
}
"""Section of the report -> file of its picture, and the figure that is drawn where the analysis has what it shows."""


def draw(analysis: Analysis, folder: Path, truth: JointAngles | None = None) -> list[Path]:
    """Write ``pictures/*.png`` and ``report.html`` into a folder, replacing older ones; return what was written.

    truth : the true angles, if the subject is virtual; the report then tells the errors
    """
    folder = Path(folder)
    shown = {title: one for title, one in PICTURES.items() if figure_named(one[1]).blocked(analysis) is None}
    files = [f"pictures/{name}" for name in ("figure.png", *(name for name, _ in shown.values()))]
    with replaced_together(folder, REPORT, files) as stage:
        pictures = stage / "pictures"
        pictures.mkdir()
        written: dict[str, Picture] = {}
        missing = _draw_body(analysis, pictures / "figure.png")
        if not missing:
            written["figure"] = Picture(pictures / "figure.png", figure_named(BODY).help)
        for title, (name, key) in shown.items():
            draw_figure(analysis, key, pictures / name)
            written[title] = Picture(pictures / name, figure_named(key).help)
        (stage / REPORT).write_text(page(report_content(analysis, truth), written, missing), encoding="utf-8")
    return [*(folder / "pictures" / one.path.name for one in written.values()), folder / REPORT]


def _draw_body(analysis: Analysis, path: Path) -> str:
    """Draw the body, or say why it cannot be drawn: a graphics library that is missing would end the whole program."""
    tried = probe("vtk")
    if not tried.works:
        return f"There is no picture of the body, because VTK cannot draw here: {tried.seen}. {tried.remedy}"
    if sys.platform.startswith("linux"):
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")  # what was tried; needs no screen
    draw_figure(analysis, BODY, path)
    return ""


def draw_figure(analysis: Analysis, key: str, path: Path) -> None:
    """Draw the figure of a key with its first choices, of the size that it has on paper, and save it."""
    kind = figure_named(key)
    chosen = {choice.key: choice.options[0] for choice in kind.choices(analysis)}
    content = kind.content(analysis, chosen)
    whose = analysis.body.subject.name or "Subject"
    save_figure(compose(kind, content, chosen, PAPER, kind.size(content, chosen), DOTS, whose), path)
