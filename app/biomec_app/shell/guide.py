"""What the Help menu tells: which keys do what, and what Biomec is made of. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import metadata

from biomec._version import __version__
from biomec.reporting.tables import Section, Table, fact_table
from biomec_app.session.action import Action

LIBRARIES = {
    "numpy": "arrays", "scipy": "splines and linear algebra", "numba": "compiled kernels", "h5py": "project files",
    "PySide6-Essentials": "windows", "pyqtgraph": "plots over time", "vtk": "the body in space",
    "matplotlib": "figures",
}  # fmt: skip
MOUSE = (
    ("Time", "Space", "Play or pause"),
    ("Time", "← →", "One frame back or forward; ten with Shift"),
    ("Time", "Home End", "First or last frame"),
    ("Time", ", .", "Play slower or faster"),
    ("Time", "L", "At the end: stop, repeat everything, or repeat the cycle"),
    ("3-D view", "1 2 3 4 5", "Look at the front, right side, left side, back, or from above"),
    ("3-D view", "0", "Look from an angle"),
    ("3-D view", "F, double click", "See the whole person"),
    ("3-D view", "+ −, wheel", "Zoom"),
    ("3-D view", "Ctrl+arrows, drag", "Turn"),
    ("3-D view", "Ctrl+Shift+arrows, right drag, Shift+drag", "Shift"),
    ("3-D view", "C", "The camera follows the body, or stays"),
    ("3-D view", "Click", "Pick a point or a segment: it is named, shown in the tree, and its curves are offered"),
    ("3-D view", "Ctrl+D, Ctrl+G", "Measure a distance or an angle: click two or three points"),
    ("3-D view", "Esc", "End measuring, or pick nothing"),
    ("Tree", "Ctrl+Shift+F", "Search in the tree"),
    ("Tree", "Enter", "Plot a signal, or run a step"),
    ("Figures", "Wheel", "Zoom the axes under the mouse"),
    ("Figures", "Drag", "Move what the axes show"),
    ("Figures", "Double click", "Show everything again"),
    ("Figures", "Ctrl+C", "Copy the figure"),
    ("Figures", "Esc", "Close the figure"),
)


def shortcut_sections(actions: Iterable[Action]) -> tuple[Section, ...]:
    """Keys of the menus, from the tables that the menus are made of, and those of time, tree and figures."""
    rows = []
    for action in actions:
        if action.shortcut and action.run is not None:
            menu = action.menu.replace("&", "").replace("/", " ▸ ")
            rows.append((menu, action.shortcut, action.text.replace("&", "").rstrip("…")))
    columns = ("Menu", "Keys", "What they do")
    letters = "Every menu opens with Alt and the letter that is underlined in its name; items likewise."
    return (Section("Menus", (letters,), (Table("", columns, tuple(rows)),)),
            Section("Elsewhere", (), (Table("", ("Where", "Keys or mouse", "What they do"), MOUSE),)))  # fmt: skip


def about_section() -> Section:
    """Version, licence and libraries."""
    made_of = {f"{name} {_version(name)}": what for name, what in LIBRARIES.items()}
    return Section(
        "About Biomec",
        (
            f"Biomec {__version__}",
            "From motion capture to joint angles, joint loads and simulations, by a multibody model of the person in "
            "natural coordinates; and a workbench for machines: forces, motion, equations and optimal control.",
            "Free software under the Apache License 2.0. It comes without any warranty, and is not a medical device: "
            "results need the judgement of somebody who knows the recording.",
        ),
        (fact_table("Made with", dict(made_of)),),
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(not installed)"
