"""What a clinician writes about a recording, and which of its cycles must not count; kept with the session.

Nothing here is ever filled in by the program. Results do not depend on the texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from biomec.base.errors import BiomecError
from biomec.base.fields import setting

LONGEST = 20_000  # letters of a text
LONG_TEXTS = ("question", "diagnosis", "treatment", "findings", "interpretation", "recommendation")
"""Texts of several lines; the others are a line each."""
OF_THE_CLINICIAN = ("findings", "interpretation", "recommendation")
"""Texts that a report leaves room for if they are empty."""


@dataclass(frozen=True)
class ExcludedCycle:
    """A cycle that was taken out by hand.

    side   : "right", "left", or "both" for cycles that belong to no side
    frame  : its first frame as the file counts them, so that it stays the same when the recording is cut
    reason : why, in the words of whoever took it out
    """

    side: str
    frame: int
    reason: str

    def __post_init__(self) -> None:
        if self.side not in ("right", "left", "both"):
            raise BiomecError(f"An excluded cycle belongs to {self.side!r}; it must be right, left or both.")
        if not self.reason.strip():
            raise BiomecError("Say why the cycle is excluded; a report lists the reason.")


@dataclass(frozen=True)
class ClinicalNotes:
    """Texts of the report, and what was excluded by hand.

    identifier      : under which the laboratory or the hospital keeps the person; it stands for the name where that is
                      left out
    excluded        : why the whole recording does not count in its visit; "" if it does
    excluded_cycles : cycles that do not count
    """

    identifier: str = setting("", "Identifier", "Number or code under which the person is kept.")
    laboratory: str = setting("", "Laboratory", "Where the recording was made; stands at the head of every page.")
    examiner: str = setting("", "Measured by", "Who made the recording.")
    referrer: str = setting("", "Referred by", "Who asked for it.")
    condition: str = setting(
        "", "Condition", "Barefoot, with shoes, with an orthosis, with an aid: recordings that differ are not pooled."
    )
    question: str = setting("", "Question of the referral", "What the report shall answer.")
    diagnosis: str = setting("", "Diagnosis", "As the referral gives it.")
    treatment: str = setting("", "Treatment so far", "Operations, injections, orthoses, therapy.")
    findings: str = setting("", "Findings", "What is seen in the curves and numbers.")
    interpretation: str = setting("", "Interpretation", "What the findings mean.")
    recommendation: str = setting("", "Recommendation", "What should be done.")
    signature: str = setting("", "Signature", "Name of whoever signs the report.")
    excluded: str = ""
    excluded_cycles: tuple[ExcludedCycle, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "excluded_cycles", tuple(self.excluded_cycles))
        for key in (*TEXTS, "excluded"):
            length = len(getattr(self, key))
            if length > LONGEST:
                raise BiomecError(f"The text {key} has {length} letters; at most {LONGEST} are kept. Shorten it.")

    @property
    def empty(self) -> bool:
        """Whether nothing was written and nothing excluded."""
        return self == ClinicalNotes()

    def with_excluded_cycle(self, side: str, frame: int, reason: str) -> ClinicalNotes:
        """Return the notes with a cycle excluded; an older reason for the same cycle is replaced."""
        kept = self.with_included_cycle(side, frame).excluded_cycles
        return replace(self, excluded_cycles=(*kept, ExcludedCycle(side, frame, reason)))

    def with_included_cycle(self, side: str, frame: int) -> ClinicalNotes:
        """Return the notes with a cycle that counts again."""
        kept = tuple(one for one in self.excluded_cycles if (one.side, one.frame) != (side, frame))
        return replace(self, excluded_cycles=kept)


TEXTS = tuple(field.name for field in fields(ClinicalNotes) if field.metadata)
"""Names of the texts, in the order of a form."""


def joined_notes(notes: Iterable[ClinicalNotes]) -> ClinicalNotes:
    """Notes of several recordings of a visit: each text is that of the first recording which has it.

    What was excluded belongs to the single recordings and is not in it.
    """
    every = tuple(notes)
    texts: dict[str, Any] = {
        key: next((text for one in every if (text := getattr(one, key)).strip()), "") for key in TEXTS
    }
    return ClinicalNotes(**texts)
