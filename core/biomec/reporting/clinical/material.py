"""What the pages of a clinical report are made from: visits, norm, and what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.pipeline.settings import EVENTS
from biomec.reporting.clinical.blocks import LeftOut, Page
from biomec.reporting.clinical.comparison import norm_means, score_of
from biomec.reporting.clinical.definition import PageEntry, ReportDefinition
from biomec.reporting.clinical.visit import SIDES, Visit
from biomec.reporting.clinical_curves import OWN
from biomec.reporting.clinical_presentation import KINEMATIC_GRID
from biomec.reporting.indices.gdi_star import REFERENCES, ProfileReference, profile_reference
from biomec.reporting.indices.profile_score import NINE, ProfileScore
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.trust import Level, trust
from biomec.signals.gait_parameters import StrideKind

BEYOND_NINE = frozenset(name for row in KINEMATIC_GRID for name in row) - set(NINE)


@dataclass(frozen=True, eq=False)
class Material:
    """What pages are made from.

    visits  : the reported one first, then those it is compared with
    norm    : the set behind the curves, None for none;  norm_notices : what must be said about it
    nameless : whether name and date of birth are left out
    source  : whose curves, a key of `biomec.reporting.clinical_curves`
    """

    visits: tuple[Visit, ...]
    definition: ReportDefinition
    norm: NormSet | None = None
    norm_notices: tuple[Notice, ...] = ()
    nameless: bool = False
    source: str = OWN

    @property
    def visit(self) -> Visit:
        """The visit that the report is about."""
        return self.visits[0]

    @property
    def beyond_nine(self) -> bool:
        """Whether the visit has curves that the Gait Profile Score does not count; else their panels would be empty."""
        return any(name in BEYOND_NINE for _, name in self.visit.cycles(self.source))

    @property
    def walks(self) -> bool:
        """Whether cycles run from foot contact to foot contact."""
        return any(one.analysis.cycles.by == EVENTS for one in self.visit.trials)

    @cached_property
    def judged(self) -> str:
        """Verdict of trust: the worst of the recordings that count."""
        levels = [trust(one).level for one in self.visit.analyses]
        return str(next((level for level in (Level.POOR, Level.CHECK, Level.GOOD) if level in levels), ""))

    @cached_property
    def reference(self) -> ProfileReference | None:
        """What the people of the norm score against each other; None where nobody knows."""
        norm = self.norm
        if norm is None:
            return None
        if norm.name in REFERENCES:
            return REFERENCES[norm.name]
        limbs: dict[tuple[str, str], dict[str, FloatArray]] = {}
        for one in norm.limbs:
            limbs.setdefault((one.subject, one.side), {})[one.curve] = one.values
        whole = {key: curves for key, curves in limbs.items() if set(NINE) <= set(curves)}
        people = [subject for subject, _ in whole]
        if len(set(people)) < 2:
            return None
        stacked = {name: np.array([curves[name] for curves in whole.values()]) for name in NINE}
        return profile_reference(norm.name, people, stacked)

    @property
    def usual_score(self) -> float | None:
        """Mean Gait Profile Score of the norm's people, exp(A + B²/2), the mean of a log-normal quantity [°]."""
        found = self.reference
        return None if found is None else float(np.exp(found.log_mean + 0.5 * found.log_sd**2))

    @cached_property
    def scores(self) -> Mapping[str, ProfileScore]:
        """Side -> Gait Profile Scores against the norm; empty without a norm of all nine curves or for other ground."""
        means = norm_means(self.norm)
        if not self.walks or len(means) < len(NINE):
            return FrozenDict()
        found = {side: score_of(self.visit, side, means, self.source) for side in SIDES}
        return FrozenDict({side: one for side, one in found.items() if one is not None})

    def unscored(self) -> str:
        """Why there is no Gait Profile Score."""
        if self.norm is None:
            return "There is no norm to score against."
        if self.visit.kind is not StrideKind.STRAIGHT:
            return f"Norms are of straight level walking; these strides are not ({self.visit.kind})."
        absent = [name for name in NINE if self.norm.band(name) is None]
        if absent:
            return f"The norm {self.norm.about.title} has no {', '.join(absent)}."
        return "No cycle has all nine curves of the Gait Profile Score."


Builder = Callable[[Material, PageEntry], "Page | tuple[Page, ...] | LeftOut"]


@dataclass(frozen=True)
class PageKind:
    """A kind of page: its usual title, and the function that makes it or says why it is left out."""

    title: str
    build: Builder

    def pages(self, material: Material, entry: PageEntry) -> tuple[Page, ...] | LeftOut:
        """The pages of an entry; a fault in their data costs these pages, not the report."""
        title = entry.title or self.title
        try:
            made = self.build(material, entry)
        except BiomecError as error:
            return LeftOut(title, str(error))
        if isinstance(made, LeftOut):
            return LeftOut(title, made.reason)
        return made if isinstance(made, tuple) else (made,)
