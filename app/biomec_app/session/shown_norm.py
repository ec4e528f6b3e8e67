"""The norm behind curves over the cycle: the one that was wished, or that suits the person of the open recording."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from biomec.base.errors import BiomecError
from biomec.base.notices import warning
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.reporting.norms.choice import NormChoice
from biomec.reporting.norms.own_norm import patient_of
from biomec_app.kit.painter import Painter
from biomec_app.session.document import Document
from biomec_app.session.norm_sets import chosen_norm, known_norms
from biomec_app.session.preferences import Preferences

NOTHING = NormChoice(None, ())


class ShownNorm(QObject):
    """The norm of the open recording, found beside the window's thread when somebody asks for it.

    changed : there is another norm, or other things to know of it; also after `wish` was set, or sets came or went
    """

    changed = Signal()

    def __init__(self, document: Document, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._preferences = document, preferences
        self._painter = Painter(self)
        self._for: Analysis | None = None
        self._found = NOTHING
        document.opened.connect(self._let_go)

    @property
    def wish(self) -> str:
        """Name of a set, or one of the choices of `norm_sets`; it is remembered between two runs."""
        return self._preferences.norm

    @wish.setter
    def wish(self, name: str) -> None:
        if name != self._preferences.norm:
            self._preferences.norm = name
            self.renew()

    @property
    def choice(self) -> NormChoice:
        """The norm and what must be known of it; until it is found, which `changed` reports, that of before."""
        analysis = self._document.analysis if self._document.is_open else None
        if analysis is None or not analysis.is_current(KINEMATICS):
            return NOTHING
        if analysis is not self._for:
            self._for = analysis
            self._find(analysis)
        return self._found

    def renew(self) -> None:
        """Find the norm again: sets came or went, or another is wished."""
        self._let_go()
        self.changed.emit()

    def stop(self) -> None:
        """Find nothing more: the program ends."""
        self._painter.stop()

    def _let_go(self) -> None:
        self._for, self._found = None, NOTHING

    def _find(self, analysis: Analysis) -> None:
        wish, folder = self._preferences.norm, self._preferences.norms_folder

        def done(choice: NormChoice | None, fault: Exception | None) -> None:
            if isinstance(fault, BiomecError):
                choice = NormChoice(None, (warning("norm-fault", f"No norm is drawn: {fault}"),))
            elif fault is not None:
                raise fault
            if self._for is analysis and choice is not None:
                before, self._found = self._found, choice
                if _shown(before) != _shown(choice):
                    self.changed.emit()

        self._painter.paint("norm", lambda: chosen_norm(known_norms(folder), wish, patient_of(analysis)), done)


def _shown(choice: NormChoice) -> tuple[object, ...]:
    return "" if choice.norm is None else choice.norm.name, choice.notices
