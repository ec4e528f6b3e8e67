"""What an overlay is: something that can be shown beside the body, and follows the current moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec_app.viewer.actors import SurfaceActor
from biomec_app.viewer.poses import ScenePose, ScenePoses

if TYPE_CHECKING:
    from biomec_app.kit.theme import Theme


@dataclass(frozen=True, eq=False)
class Moment:
    """What is shown now.

    frame   : from 0; None in the static pose
    bodies  : `RAW` or `CONSISTENT` -> pose, those that are drawn
    pose    : the one that overlays belong to; None without a model
    markers : (M, 3) of `Poses.markers`
    scale   : length of force arrows, 1 for a metre a thousand newtons
    hidden  : groups of muscles that are not drawn
    muscle  : the one that was picked, or None
    """

    frame: int | None
    kind: str
    bodies: dict[str, ScenePose]
    pose: ScenePose | None
    markers: FloatArray
    scale: float
    hidden: frozenset[str] = frozenset()
    muscle: str | None = None


@dataclass(frozen=True)
class Label:
    """Words beside a place (3,) [m] of the laboratory.

    weight : which go before others where there is no room for all, the larger; those above 0 keep off the limbs
    around : (K, 3) corners of what they are about, if that is an area
    """

    text: str
    place: FloatArray
    colour: str
    weight: int = 0
    around: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Handles:
    """Lines (N, K, 3) [m] that can be picked with the mouse, NaN where they are not drawn: muscles by names and words.

    radii : (N,) half of their thickness [m]
    """

    names: tuple[str, ...]
    words: tuple[str, ...]
    lines: FloatArray
    radii: FloatArray


@dataclass(frozen=True)
class LegendEntry:
    """A line of the legend: a word with a colour; ``form``: "dot", "line", "arrow" or "patch"."""

    text: str
    colour: str
    form: str = "dot"


class Overlay:
    """Base of all overlays. Made once for a recording, updated in every frame while it is shown.

    A class says what it is by `title` and `help`, why it cannot be shown by `missing`, and draws by surfaces that it
    makes in `build` and writes in `update`.

    inside : it lies within the body, which is then drawn see-through
    moving : it belongs to the movement, and is not there in the static pose
    """

    title: ClassVar[str]
    help: ClassVar[str]
    inside: ClassVar[bool] = False
    moving: ClassVar[bool] = False

    def __init__(self, poses: ScenePoses, theme: Theme) -> None:
        self.poses, self.theme = poses, theme
        self.surfaces: list[SurfaceActor] = []
        self.build()

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Why it cannot be shown for a recording, as a sentence; None if it can."""
        return None if "body" in analysis.done else "Load the biomechanical model first."

    def build(self) -> None:
        """Make the surfaces."""

    def update(self, moment: Moment) -> None:
        """Write the places of a moment."""

    def labels(self, moment: Moment) -> list[Label]:
        """Words in the picture."""
        return []

    def handles(self, moment: Moment) -> Handles | None:
        """Muscles that can be picked; None if it draws none."""
        return None

    def legend(self) -> list[LegendEntry]:
        """Lines of the legend."""
        return []
