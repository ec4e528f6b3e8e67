"""What the window of clinical plots shows, found out beside the window's thread: grids, tables, norm and notices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from biomec.base.notices import Notice
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.reporting.clinical.blocks import EVERY, MEAN, Block, Grid, LeftOut, Words
from biomec.reporting.clinical.definition import PageEntry, ReportDefinition
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.pages import PAGES
from biomec.reporting.clinical.pages.own_angles import arm_and_trunk, joint_grid
from biomec.reporting.clinical.panels import kinematic_grid, kinetic_grid
from biomec.reporting.clinical.visit import SIDES, Visit, visit_of
from biomec.reporting.clinical_curves import OWN, STORED, VICON
from biomec.reporting.norms.choice import NormChoice
from biomec.reporting.norms.norm import NormSet
from biomec_app.plots.clinical.look import OURS, SIDE_COLOURS
from biomec_app.session.norm_sets import KnownNorms, chosen_norm, known_norms

BOTH = "both"
SHOWN_SIDES = {BOTH: "Both sides", "right": "Right", "left": "Left"}
STYLES = {MEAN: "Mean ± SD", EVERY: "Every cycle"}
SOURCES = {
    OWN: "Biomec's model",
    VICON: "Plug-in Gait as Vicon computes it",
    STORED: "Plug-in Gait as stored in the file",
}
DEVIATIONS = (1.0, 2.0)


@dataclass(frozen=True)
class ClinicalView:
    """How clinical plots are shown; remembered between two runs.

    style   : `MEAN` or `EVERY` cycle;  sides : key of `SHOWN_SIDES`;  source : whose curves
    colours : key of `SIDE_COLOURS`;  deviations : half the width of the norm band in SD
    nine    : only the curves of the Gait Profile Score;  strips : how far each side is from the norm, under each panel
    """

    style: str = MEAN
    sides: str = BOTH
    source: str = OWN
    colours: str = OURS
    deviations: float = 1.0
    nine: bool = False
    strips: bool = False

    @property
    def drawn_sides(self) -> tuple[str, ...]:
        """Sides that are drawn."""
        return SIDES if self.sides == BOTH else (self.sides,)


CHOICES: Mapping[str, Sequence[object]] = {
    "style": tuple(STYLES), "sides": tuple(SHOWN_SIDES), "source": tuple(SOURCES), "colours": tuple(SIDE_COLOURS),
    "deviations": DEVIATIONS, "nine": (False, True), "strips": (False, True),
}  # fmt: skip


def remembered_view(stored: Mapping[str, object]) -> ClinicalView:
    """The view that preferences hold; what is damaged there is as at the first time."""
    known = {one.name: stored[one.name] for one in fields(ClinicalView) if stored.get(one.name) in CHOICES[one.name]}
    return replace(ClinicalView(), **known)  # type: ignore[arg-type]  # each is one of its choices


def stored_view(view: ClinicalView) -> Mapping[str, object]:
    """What preferences keep."""
    return asdict(view)


@dataclass(frozen=True, eq=False)
class Recordings:
    """What clinical plots are made from: recordings of the visit, and of each visit that it is compared with."""

    names: tuple[str, ...]
    analyses: tuple[Analysis, ...]
    others: tuple[tuple[str, tuple[Analysis, ...]], ...] = ()

    def same(self, other: Recordings) -> bool:
        """Whether these are the same analyses under the same names."""
        mine, theirs = self._key(), other._key()
        return mine == theirs

    def _key(self) -> tuple[object, ...]:
        others = tuple((name, tuple(map(id, analyses))) for name, analyses in self.others)
        return self.names, tuple(map(id, self.analyses)), others


@dataclass(frozen=True, eq=False)
class ClinicalContent:
    """What is shown; ``visits`` are kept with their curves, so that another view of them is there at once."""

    recordings: Recordings
    visits: tuple[Visit, ...]
    known: KnownNorms
    choice: NormChoice
    kinematics: Grid
    kinetics: Grid | None
    view: ClinicalView
    walks: bool

    @property
    def visit(self) -> Visit:
        """The visit that is reported."""
        return self.visits[0]

    @property
    def norm(self) -> NormSet | None:
        """The norm behind the curves."""
        return self.choice.norm

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader must know."""
        return self.choice.notices


def visits_of(recordings: Recordings) -> tuple[Visit, ...]:
    """The visit that is reported, then those it is compared with."""
    others = (visit_of(analyses) for _, analyses in recordings.others)
    return visit_of(recordings.analyses, recordings.names), *others


def content_of(
    recordings: Recordings, view: ClinicalView, wish: str, folder: Path, before: ClinicalContent | None = None
) -> ClinicalContent:
    """Everything that is shown.

    wish, folder : the norm that the user wishes, and the folder of the user's sets
    before       : what was shown until now; visits that have not changed are taken from it
    """
    if before is not None and before.recordings.same(recordings):
        visits = before.visits
    else:
        visits = visits_of(recordings)
    known = known_norms(folder)
    choice = chosen_norm(known, wish, visits[0].patient(view.source))
    norm, sides = choice.norm, view.drawn_sides
    material = _material(visits, choice, view)
    if material.walks:
        kinematics = kinematic_grid(visits, norm, view.style, view.nine, view.source, sides, view.deviations)
        kinetics = kinetic_grid(visits, norm, view.style, view.source, sides, view.deviations)
        return ClinicalContent(recordings, visits, known, choice, kinematics, kinetics, view, True)
    moving = joint_grid(material, arm_and_trunk, view.style, sides) or Grid("", (), note=NOTHING_MOVES)
    return ClinicalContent(recordings, visits, known, NormChoice(None, ()), moving, None, view, False)


def _material(visits: tuple[Visit, ...], choice: NormChoice, view: ClinicalView) -> Material:
    definition = ReportDefinition(colours=view.colours, band_sd=view.deviations, deviation_strips=view.strips)
    return Material(visits, definition, choice.norm, choice.notices, source=view.source)


NOTHING_MOVES = "No joint moves enough in a cycle to be shown."
PAGE_KINDS = {
    "time and distance": "&Time and Distance", "ground reaction": "&Ground Reaction", "indices": "In&dices",
    "trunk and arms": "T&runk and Arms", "emg": "&EMG", "comparison": "C&omparison",
}  # fmt: skip
"""Pages of the report that have a tab of their own -> what it is called."""


def pages_of(content: ClinicalContent) -> dict[str, tuple[Block, ...]]:
    """Pages of the report beside the grids, by their kinds; where there are no data, a sentence says so."""
    material = _material(content.visits, content.choice, content.view)
    found: dict[str, tuple[Block, ...]] = {}
    for kind in PAGE_KINDS:
        made = PAGES[kind].pages(material, PageEntry(kind))
        if isinstance(made, LeftOut):
            found[kind] = (Words((made.reason,)),)
        else:
            found[kind] = tuple(block for page in made for block in page.blocks)
    return found


def missing_step(analysis: Analysis) -> str:
    """The step that has to run before there are clinical curves; "" if nothing is missing."""
    return "" if analysis.is_current(KINEMATICS) else KINEMATICS
