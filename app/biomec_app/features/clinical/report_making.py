"""What the report dialog asks for, and the report made from it; for the background."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from biomec.base.progress import Progress, part_of
from biomec.reporting.clinical.blocks import ClinicalReport
from biomec.reporting.clinical.definition import COLOURS, NEAREST, PAPERS, SHIPPED, ReportDefinition, read_definition
from biomec.reporting.clinical.report import clinical_report
from biomec.reporting.clinical.visit import Visit
from biomec.reporting.clinical.visit_files import trials_in_words
from biomec.reporting.clinical_curves import OWN
from biomec_app.features.clinical.clinical_content import Recordings, visits_of
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.writers import write_report
from biomec_app.session.norm_sets import AUTOMATIC, known_norms

MADE = 0.15  # share of the time in which the report is put together; the rest writes it


@dataclass(frozen=True)
class Wishes:
    """How a report shall be.

    definition : name of one that comes with Biomec, or a TOML file
    paper, colours : "" as the definition says
    norm       : as preferences keep it;  norms_folder : of the user's sets
    nameless   : without name and date of birth;  compared : with the recordings that are open for comparison
    """

    definition: str = SHIPPED
    paper: str = ""
    colours: str = ""
    norm: str = AUTOMATIC
    norms_folder: Path = Path()
    nameless: bool = False
    compared: bool = True
    source: str = OWN
    template: Path | None = None

    def definition_read(self) -> ReportDefinition:
        """The definition, with what was chosen in its place."""
        read = read_definition(self.definition)
        changes: dict[str, str] = {}
        if self.paper in PAPERS:
            changes["paper"] = self.paper
        if self.colours in COLOURS:
            changes["colours"] = self.colours
        changes["norm"] = self.norm or (read.norm if read.norm != "none" else NEAREST)
        return replace(read, **changes)  # type: ignore[arg-type]  # fields that are texts


@dataclass(frozen=True, eq=False)
class MadeReport:
    """A report with what its writers need."""

    report: ClinicalReport
    options: ReportOptions
    visits: tuple[Visit, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what is not in it."""
        left_out = (f"The page {one.title} is left out. {one.reason}" for one in self.report.left_out)
        return (*self.report.notices, *trials_in_words(self.visits), *left_out)


def made_report(
    recordings: Recordings, wishes: Wishes, before: MadeReport | None = None, progress: Progress | None = None
) -> MadeReport:
    """The report of recordings.

    before : one that was made of the same recordings, whose visits keep their curves
    """
    definition = wishes.definition_read()
    if before is None:
        visits = visits_of(recordings)
    else:
        visits = before.visits
    used = visits if wishes.compared else visits[:1]
    own = known_norms(wishes.norms_folder).own
    report = clinical_report(used, definition, wishes.nameless, own, wishes.source, progress)
    options = ReportOptions(
        paper=definition.paper, template=wishes.template, colours=definition.colours,
        trials=tuple(trial.analysis for trial in used[0].trials),
    )  # fmt: skip
    return MadeReport(report, options, visits)


def written_report(
    recordings: Recordings,
    wishes: Wishes,
    path: Path,
    before: MadeReport | None = None,
    progress: Progress | None = None,
) -> MadeReport:
    """Make a report and write it to a file of the kind that its name ends with; ``before`` as in `made_report`."""
    made = made_report(recordings, wishes, before, part_of(progress, 0.0, MADE))
    write_report(made.report, path, made.options, part_of(progress, MADE, 1.0))
    return made
