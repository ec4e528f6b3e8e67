"""Head and neck on the stage of the workbench: shown for its machine, and hit where the user clicks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.head_neck.impact import Blow
from biomec.machines.head_neck.study import STUDY, HeadImpactOptions, blow_of, refusal
from biomec.machines.head_neck.sweeps import blow_from
from biomec.machines.machine import Machine
from biomec.machines.study import Run
from biomec_app.features.workbench.drawing import Drawing
from biomec_app.features.workbench.neck_drawing import FORCE, LIGAMENTS, MUSCLES, STRAIN, NeckDrawing
from biomec_app.features.workbench.neck_solids import NeckSolids, Touched, known_model, of_run, still
from biomec_app.features.workbench.stage import Stage
from biomec_app.features.workbench.study_panel import StudyPanel

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMenu

SIDES = {
    "right": ("From the &Right", 0.0, 0.0), "front": ("From the &Front", -np.pi / 2, 0.0),
    "back": ("From the &Back", np.pi / 2, 0.0), "above": ("From A&bove", 0.0, np.pi / 2),
}  # fmt: skip
"""Side -> words, azimuth and elevation [rad] of the drawing."""
HINT = (
    "Click the head: point of the blow, at right angles. Shift-click: the point only. Ctrl-click: along your line of "
    "sight. Drag to turn, wheel to come nearer."
)
USUAL_HINT = "Wheel: nearer or farther. Drag: move. Double-click: all. Click a point: its trail."


class NeckView(QObject):
    """Shows solids for the machine ``head-neck``, and gives the form of its study a blow that was picked."""

    def __init__(self, stage: Stage, studies: StudyPanel, say: Callable[[str, int], None]) -> None:
        super().__init__(stage)
        self.stage, self.studies, self.say = stage, studies, say
        self.drawing = NeckDrawing()
        self._plain: Drawing = stage.drawing
        self._known: tuple[Run | None, NeckSolids] | None = None
        self.menu: QMenu | None = None
        stage.surface_asked.connect(self.touch)
        studies.options_changed.connect(self.show_blow)

    def add_items(self, menu: QMenu, item: Callable[..., QAction]) -> None:
        """Fill the submenu of the view."""
        self.menu = menu
        force = item(menu, "neck-force", "Colour Ligaments by &Force", self._recolour)
        for kind, name, words in ((LIGAMENTS, "ligaments", "&Ligaments"), (MUSCLES, "muscles", "&Muscles")):
            shown = item(menu, f"neck-{name}", words, lambda kind=kind: self._hide(kind))
            shown.setCheckable(True)
            shown.setChecked(True)
        force.setCheckable(True)
        menu.addSeparator()
        for name, (words, azimuth, elevation) in SIDES.items():
            item(menu, f"neck-{name}", words, lambda a=azimuth, e=elevation: self._look(a, e))
        menu.menuAction().setVisible(False)

    # ------------------------------------------------------------------ showing

    @property
    def is_shown(self) -> bool:
        """Whether the stage shows the head and neck."""
        return self.stage.drawing is self.drawing

    def follow(self, machine: Machine, run: Run | None) -> None:
        """Show the run of a blow, or the model before it; another machine is sketched as usual."""
        solids = self._solids(run) if refusal(machine) is None else None
        shown = solids is not None
        if shown != self.is_shown:
            self.stage.draw_with(self.drawing if shown else self._plain)
            self.stage.setToolTip(HINT if shown else USUAL_HINT)
            if shown:
                self.say(HINT, 0)
            if self.menu is not None:
                self.menu.menuAction().setVisible(shown)
        self.drawing.solids = solids
        self.show_blow()

    def _solids(self, run: Run | None) -> NeckSolids | None:
        """Solids of the run of a blow, or of the model; None, with a message, if the files of its model are gone."""
        run = run if run is not None and run.study == STUDY.key else None
        if self._known is None or self._known[0] is not run:
            try:
                solids = of_run(run) if run is not None else still(known_model(HeadImpactOptions()))
                self.drawing.blow = blow_of(run.options) if run is not None else None
            except BiomecError as error:
                self.say(f"This run cannot be shown as solids. {error}", 0)
                return None
            self._known = run, solids
        return self._known[1]

    def show_blow(self) -> None:
        """Show the blow that the form asks for beside that of the run."""
        if self.is_shown:
            self.drawing.asked = self._asked()
            self.stage.update()

    def _asked(self) -> Blow | None:
        form = self.studies.form
        if form is None or form.study.key != STUDY.key:
            return None
        try:
            return blow_of(form.options())
        except BiomecError:  # what is typed is not finished; running it says what is wrong
            return None

    def _recolour(self) -> None:
        self.drawing.colours = FORCE if self.drawing.colours == STRAIN else STRAIN
        self.stage.update()

    def _hide(self, kind: int) -> None:
        self.drawing.hidden ^= {kind}
        self.stage.update()

    def _look(self, azimuth: float, elevation: float) -> None:
        self.drawing.azimuth, self.drawing.elevation, self.drawing.view = azimuth, elevation, None
        self.stage.update()

    # ------------------------------------------------------------------ picking

    def touch(self, touched: Touched, keys: Qt.KeyboardModifier) -> None:
        """Let the next blow land where the head was clicked."""
        if keys & Qt.KeyboardModifier.ShiftModifier:
            self.hit(touched.point, None)
        elif keys & Qt.KeyboardModifier.ControlModifier:
            self.hit(touched.point, -self.drawing.towards_eye)
        else:
            self.hit(touched.point, -touched.normal)

    def come_from(self, side: FloatArray) -> None:
        """Let the next blow come from a side (3,) of the head, as in a sweep over directions."""
        blow = blow_from(side, blow_of(HeadImpactOptions()).pulse)
        self.hit(np.asarray(blow.point), np.asarray(blow.direction))

    def hit(self, point: FloatArray, direction: FloatArray | None) -> None:
        """Give the form a point of the head [m] and a direction."""
        values = {f"point_{axis}_mm": round(1e3 * float(x), 1) for axis, x in zip("xyz", point, strict=True)}
        if direction is not None:
            values |= {f"direction_{axis}": round(float(x), 4) for axis, x in zip("xyz", direction, strict=True)}
        self.studies.give(STUDY.key, values)
        x, y, z = (values[f"point_{axis}_mm"] for axis in "xyz")
        place = ", ".join(f"{one:g} mm {way}" for one, way in (
            (abs(x), "forward" if x >= 0.0 else "back"), (abs(y), "to the left" if y >= 0.0 else "to the right"),
            (abs(z), "up" if z >= 0.0 else "down")))  # fmt: skip
        self.say(f"Next blow, from the head's centre of mass: {place}. F5 runs it.", 0)
