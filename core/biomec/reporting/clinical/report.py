"""A clinical report of visits, as pages of blocks that every writer can put on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice
from biomec.base.progress import Progress
from biomec.pipeline.settings import EVENTS
from biomec.pipeline.without_name import CODE, cleaners
from biomec.reporting.clinical.blocks import ClinicalReport, FreeText, Heading, LeftOut, Page, Words
from biomec.reporting.clinical.definition import NEAREST, NONE, ReportDefinition
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.pages import PAGES
from biomec.reporting.clinical.pages.summary import highlights
from biomec.reporting.clinical.visit import Visit, in_words
from biomec.reporting.clinical_curves import OWN
from biomec.reporting.norms.choice import choose_norm, norm_notices
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.norms.norm_file import shipped_norm, shipped_norms

T = TypeVar("T")
Clean = Callable[[str], str]
OURS = ("side", "kind", "key", "style", "logo", "version", "title", "caption", "columns", "name", "unit", "up", "down",
        "raw_unit", "identifier", "verdict")  # fmt: skip
"""Fields of a report that hold no words of the recordings, once the definition has been cleaned."""


def clinical_report(
    visits: Sequence[Visit],
    definition: ReportDefinition | None = None,
    nameless: bool = False,
    norms: Iterable[NormSet] = (),
    source: str = OWN,
    progress: Progress | None = None,
) -> ClinicalReport:
    """Report of the first visit; the others are those it is compared with.

    definition : which pages, and how they look; the usual report if it is not given
    nameless   : leave name and date of birth out: identifier and age stand for them, in all texts
    norms      : sets of the user's own besides those that come with Biomec
    source     : whose curves, a key of `biomec.reporting.clinical_curves`
    """
    if not visits:
        raise BiomecError("A clinical report needs a visit with at least one recording.")
    wanted = definition or ReportDefinition()
    code, label, sentence, notices = _without_names(visits, nameless)
    used = tuple(_renamed(visit) if nameless else visit for visit in visits)
    if nameless:
        entries = tuple(replace(one, title=sentence(one.title)) for one in wanted.pages)
        wanted = replace(wanted, title=sentence(wanted.title), pages=entries)
    norm, said, faults = _norm(used[0], wanted, norms, source)
    material = Material(used, wanted, norm, said, nameless, source)
    pages: list[Page] = []
    left_out: list[LeftOut] = []
    for k, entry in enumerate(wanted.pages):
        made = PAGES[entry.kind].pages(material, entry)
        if isinstance(made, LeftOut):
            left_out.append(made)
        else:
            pages += made
        if progress is not None:
            progress((k + 1) / len(wanted.pages))
    report = ClinicalReport(
        wanted.title, _heading(material, code), highlights(material), tuple(pages), tuple(left_out),
        (*wanted.notices, *faults, *notices),
    )  # fmt: skip
    return _cleaned(report, label, sentence) if nameless else report


def _heading(material: Material, code: str) -> Heading:
    visit, notes = material.visit, material.visit.notes
    subject, definition = visit.subject, material.definition
    age = "" if visit.age_years is None else f"{visit.age_years} years"
    if material.nameless:
        who, born, identifier = age, "", code
    else:
        who = subject.name or "Person without a name"
        born = "" if subject.birth_date is None else in_words(subject.birth_date)
        identifier = notes.identifier
    return Heading(
        notes.laboratory or definition.laboratory, definition.logo, who, identifier, born,
        "" if visit.day is None else in_words(visit.day), material.judged, __version__,
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------- norm
def _norm(
    visit: Visit, definition: ReportDefinition, own: Iterable[NormSet], source: str
) -> tuple[NormSet | None, tuple[Notice, ...], tuple[str, ...]]:
    """The set behind the curves, what must be said about it, and sentences about one that was not found."""
    walks = any(trial.analysis.cycles.by == EVENTS for trial in visit.trials)
    if definition.norm == NONE or not walks:
        return None, (), ()
    patient, mine = visit.patient(source), tuple(own)
    known = {one.name: one for one in mine}
    faults: tuple[str, ...] = ()
    if definition.norm != NEAREST:
        try:
            chosen = known[definition.norm] if definition.norm in known else shipped_norm(definition.norm)
            return chosen, norm_notices(chosen, patient), ()
        except BiomecError as error:
            faults = (f"{error} The nearest norm is taken.",)
    choice = choose_norm((*mine, *(shipped_norm(name) for name in shipped_norms())), patient)
    return choice.norm, choice.notices, faults


# --------------------------------------------------------------------------------------------------------- without name
def _without_names(visits: Sequence[Visit], nameless: bool) -> tuple[str, Clean, Clean, tuple[str, ...]]:
    """Code that stands for the person, what cleans a label and a sentence, and sentences about the code."""
    if not nameless:
        return "", str, str, ()
    sessions = [trial.analysis.session for visit in visits for trial in visit.trials]
    code = next((one for visit in visits if (one := visit.notes.identifier.strip())), CODE)
    try:
        return code, *cleaners(sessions, code), ()
    except BiomecError:
        words = f"The identifier holds the name of the person; {CODE!r} stands for both."
        return CODE, *cleaners(sessions, CODE, [code]), (words,)


def _renamed(visit: Visit) -> Visit:
    """The visit with recordings that have numbers for names: a file is often called after the person."""
    trials = tuple(replace(one, name=f"Recording {k}") for k, one in enumerate(visit.trials, 1))
    left = tuple(replace(one, name=f"Further file {k}") for k, one in enumerate(visit.left_out, 1))
    return Visit(trials, left)


def _cleaned(content: T, label: Clean, sentence: Clean) -> T:
    """The content without names in any text that may hold words of the recordings or of the clinician."""
    if isinstance(content, str):
        return label(content)  # type: ignore[return-value]  # a text for a text
    if isinstance(content, tuple):
        return tuple(_cleaned(one, label, sentence) for one in content)  # type: ignore[return-value]
    if isinstance(content, FreeText):
        return replace(content, text="\n".join(map(sentence, content.text.split("\n"))))
    if isinstance(content, Words):
        return replace(content, sentences=tuple(map(sentence, content.sentences)))
    if is_dataclass(content) and not isinstance(content, type):
        words = {one.name: getattr(content, one.name) for one in fields(content) if one.name not in OURS}
        kept = {key: _cleaned(value, label, sentence) for key, value in words.items()}
        return replace(content, **kept)
    return content
