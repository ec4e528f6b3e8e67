"""All figures. A feature adds its own with `register_figure`, before the window is made."""

from __future__ import annotations

from biomec_app.figures.agreement import AgreementFigure
from biomec_app.figures.angle_overview import AngleOverviewFigure
from biomec_app.figures.angles import AngleFigure
from biomec_app.figures.convergence import ConvergenceFigure, FrozenJacobianFigure
from biomec_app.figures.devices import DeviceFigure
from biomec_app.figures.distances import DistanceFigure
from biomec_app.figures.emg import EmgFigure
from biomec_app.figures.kind import FigureKind
from biomec_app.figures.models import ModelFigure
from biomec_app.figures.moments import MomentsFigure
from biomec_app.figures.plates import PlateFigure
from biomec_app.figures.quality import QualityFigure
from biomec_app.figures.residual import CutoffFigure, ResidualFigure
from biomec_app.figures.stick import StickFigure
from biomec_app.figures.violations import DerivativeFigure, RateFigure, ViolationFigure

_GROUPS: dict[str, list[FigureKind]] = {
    "signals": [ResidualFigure(), CutoffFigure(), AgreementFigure(), PlateFigure(), EmgFigure()],
    "consistency": [
        ViolationFigure(),
        ConvergenceFigure(),
        FrozenJacobianFigure(),
        DistanceFigure(),
        RateFigure(),
        DerivativeFigure(),
        QualityFigure(),
    ],
    "movement": [StickFigure(), MomentsFigure(), AngleFigure(), AngleOverviewFigure(), ModelFigure()],
    "loads": [DeviceFigure()],
}


def figure_groups() -> dict[str, tuple[FigureKind, ...]]:
    """Group -> its figures, in the order of the menu."""
    return {group: tuple(kinds) for group, kinds in _GROUPS.items()}


def register_figure(kind: FigureKind, group: str = "movement") -> None:
    """Add a figure to a group; a new group comes last."""
    if any(one.key == kind.key for one in figures()):
        raise ValueError(f"there is a figure {kind.key} already")
    _GROUPS.setdefault(group, []).append(kind)


def figures() -> tuple[FigureKind, ...]:
    """All figures."""
    return tuple(kind for kinds in _GROUPS.values() for kind in kinds)


def figure_named(key: str) -> FigureKind:
    """The figure of that key."""
    return next(kind for kind in figures() if kind.key == key)
