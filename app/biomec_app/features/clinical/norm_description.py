"""Who is behind a norm: what a file of another program does not say is entered here, because the choice needs it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtWidgets import QDialog, QFormLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.base.fields import group, setting
from biomec.reporting.norms.norm import NormAbout, NormSet
from biomec_app.kit.dialog_parts import Fault, explanation, with_buttons
from biomec_app.kit.forms.form import Form

TITLE = "Describe Norm"
WORDS = "The choice of a norm goes by ages, speed and model. Leave empty what the source does not say."


@dataclass(frozen=True)
class Description:
    """What can be said of a set, as people enter it."""

    title: str = setting("", "Title", "What lists and footers call it.")
    subjects: int | None = setting(None, "People", nothing="not known", least=1, typed=True)
    youngest: float | None = setting(None, "Youngest", unit="years", least=0.0, nothing="not known", typed=True)
    oldest: float | None = setting(None, "Oldest", unit="years", least=0.0, nothing="not known", typed=True)
    speed: float | None = setting(None, "Walking speed", unit="m/s", least=0.0, nothing="not known", typed=True)
    speed_sd: float | None = setting(None, "SD of the speed", unit="m/s", least=0.0, nothing="not known", typed=True)
    dimensionless: float | None = setting(
        None, "Speed without dimension", "v / √(g l), l the length of the leg; speeds are compared by it.",
        least=0.0, nothing="not known", typed=True,
    )  # fmt: skip
    dimensionless_sd: float | None = setting(None, "SD of that", least=0.0, nothing="not known", typed=True)
    model: str = setting("", "Model", "Model of the body that gave the curves, such as Plug-in Gait.")
    task: str = setting("", "Task", "Such as level walking, barefoot.")
    citation: str = setting("", "Cite as")
    source: str = setting("", "Source")
    licence: str = setting("", "Licence")


def described(about: NormAbout) -> Description:
    """What a form shows of a set."""
    youngest, oldest = about.ages or (None, None)
    speed, speed_sd = about.speed_m_s or (None, None)
    dimensionless, dimensionless_sd = about.speed_dimensionless or (None, None)
    return Description(
        about.title, about.subjects, youngest, oldest, speed, speed_sd, dimensionless, dimensionless_sd, about.model,
        about.task, about.citation, about.source, about.licence,
    )  # fmt: skip


def with_description(about: NormAbout, entered: Description) -> NormAbout:
    """The set with what was entered; raises a sentence where two values do not go together."""
    if not entered.title.strip():
        raise BiomecError("Enter a title.")
    ages = _pair("the youngest and the oldest age", entered.youngest, entered.oldest)
    if ages is not None and ages[1] < ages[0]:
        raise BiomecError(f"The oldest ({ages[1]:g} years) must not be younger than the youngest ({ages[0]:g}).")
    return replace(
        about, title=entered.title.strip(), subjects=entered.subjects, ages=ages,
        ages_from=about.ages_from if ages == about.ages else "",
        speed_m_s=_pair("the walking speed and its SD", entered.speed, entered.speed_sd),
        speed_dimensionless=_pair(
            "the speed without dimension and its SD", entered.dimensionless, entered.dimensionless_sd
        ),
        model=entered.model.strip(), task=entered.task.strip(), citation=entered.citation.strip(),
        source=entered.source.strip(), licence=entered.licence.strip(),
    )  # fmt: skip


def _pair(what: str, first: float | None, second: float | None) -> tuple[float, float] | None:
    if (first is None) != (second is None):
        raise BiomecError(f"Enter {what}, or neither of them.")
    return None if first is None or second is None else (first, second)


class DescriptionDialog(QDialog):
    """The form; ``set`` holds what was entered once it is accepted."""

    def __init__(self, norm: NormSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set = norm
        self.setObjectName("norm-description")
        self.setWindowTitle(TITLE)
        self.form = Form(group(described(norm.about)), "norm-description.{}", wheel=False, parent=self)
        rows = QFormLayout()
        for path, row in self.form.rows.items():
            rows.addRow(self.form.label(path), row.widget)
        self.wrong = Fault("norm-description.fault")
        with_buttons(self, explanation(WORDS), rows, self.wrong)
        self.resize(560, 0)

    def accept(self) -> None:
        """Take over what is entered, or say what is wrong."""
        try:
            about = with_description(self.set.about, self.form.entered())
        except BiomecError as error:
            self.wrong.say(str(error))
            return
        self.set = replace(self.set, about=about)
        super().accept()
