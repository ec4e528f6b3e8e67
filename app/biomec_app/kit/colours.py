"""Light and dark: one palette of named colours for widgets, plots, figures and the 3-D view alike. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Theme:
    """Named colours, as #rrggbb. Right is blue and left is orange everywhere; they stay apart for the colour-blind."""

    name: str
    window: str
    panel: str
    text: str
    faint: str
    line: str
    accent: str
    on_accent: str = "#FFFFFF"
    fault: str = "#B3261E"
    box: str = "#7A828C"
    handle: str = "#7A828C"
    right: str = "#0072B2"
    left: str = "#D55E00"
    middle: str = "#009E73"
    measured: str = "#56B4E9"
    rebuilt: str = "#E69F00"
    interpolated: str = "#CC79A7"
    failed: str = "#C0392B"
    contact: str = "#009E73"
    floor: str = "#D9DDE2"
    sky_top: str = "#F4F6F8"
    sky_bottom: str = "#FFFFFF"


LIGHT = Theme("light", "#F5F6F8", "#FFFFFF", "#20242A", "#6B7280", "#D5D9DF", "#0B63A5")
DARK = Theme(
    "dark", "#22262B", "#2B3036", "#E8EAED", "#9AA3AE", "#444B54", "#4DA3E0",
    on_accent="#10161C", fault="#FF8A80", box="#B4BCC6", right="#56B4E9", left="#F0803C",
    floor="#3A4048", sky_top="#1C2024", sky_bottom="#2B3036",
)  # fmt: skip
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
COMPARED = {"light": ("#0072B2", "#C8102E", "#00805D", "#8A6100"), "dark": ("#56B4E9", "#FF6B5E", "#2FC49B", "#E6B93C")}
"""Theme -> colours of recordings that are compared: the first blue, the second red [Nunes2017]."""

PALETTES = {
    "light": ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#4A4F57"),
    "dark": ("#56B4E9", "#E8703A", "#1FA883", "#E8A8CF", "#F0E442", "#FFFFFF"),
}
"""Theme -> colours that stay apart for the colour-blind (after Okabe and Ito), for what sides cannot tell apart."""
COLOURS = len(PALETTES["light"])


def rgb(colour: str) -> Colour:
    """``#RRGGBB`` as three numbers from 0 to 1."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def mixed(one: str, other: str, share: float) -> str:
    """Colour between two, ``share`` of the second, as ``#RRGGBB``."""
    parts = [(1.0 - share) * a + share * b for a, b in zip(rgb(one), rgb(other), strict=True)]
    return "#" + "".join(f"{round(255.0 * part):02X}" for part in parts)
