"""A norm made from a study: everybody whose trials count, each person once, without names."""

from __future__ import annotations

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.io.project import load_project
from biomec.pipeline.reopen import open_again
from biomec.reporting.clinical_curves import OWN
from biomec.reporting.norms.norm import NormAbout, NormSet
from biomec.reporting.norms.own_norm import Person, norm_of_people, person_of
from biomec.study.record import PROJECT
from biomec.study.study import Study
from biomec.study.trials import StudyTrial


def norm_of_study(
    study: Study, name: str, title: str = "", condition: str = "", source: str = OWN, progress: Progress | None = None
) -> NormSet:
    """Norm of the people of a study, of all trials that count or of those of a condition.

    Trials and cycles that were taken out do not count here either. A trial of nobody known is left out, since nobody
    can say whether its person is in the norm already.
    """
    chosen = [one for one in study.trials if one.counts and one.subject and condition in ("", one.condition)]
    if not chosen:
        there = ", ".join(sorted({one.condition for one in study.trials if one.counts and one.condition})) or "none"
        what = f" of the condition {condition} (there are: {there})" if condition else ""
        raise BiomecError(f"The study has no trial{what} that is done and counts. Run the batch first.")
    by_person: dict[str, list[StudyTrial]] = {}
    for one in chosen:
        by_person.setdefault(one.subject, []).append(one)
    people: list[Person] = []
    for trials in by_person.values():
        analyses = [open_again(load_project(study.folder_of(one) / PROJECT)) for one in trials]
        people.append(person_of(analyses, source))
        if progress is not None:
            progress(len(people) / len(by_person))
    words = f"study {study.description.name}{f', {condition}' if condition else ''} ({len(chosen)} trials)"
    return norm_of_people(name, people, NormAbout(title or name, source=words))
