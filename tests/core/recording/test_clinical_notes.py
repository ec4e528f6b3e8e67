"""What a clinician writes: kept, checked, and pooled over recordings."""

import pytest

from biomec.base.errors import BiomecError
from biomec.base.plain_types import UnfitError, made_from
from biomec.recording import ClinicalNotes, ExcludedCycle
from biomec.recording.clinical_notes import LONG_TEXTS, LONGEST, OF_THE_CLINICIAN, TEXTS, joined_notes
from biomec.recording.step import plain_data


def test_texts_are_those_that_a_form_shows():
    assert set(LONG_TEXTS) < set(TEXTS)
    assert set(OF_THE_CLINICIAN) < set(LONG_TEXTS)
    assert "excluded" not in TEXTS
    assert ClinicalNotes().empty
    assert not ClinicalNotes(findings="crouch").empty


def test_a_cycle_is_excluded_with_a_reason_and_counts_again():
    notes = ClinicalNotes().with_excluded_cycle("right", 40, "stumbled").with_excluded_cycle("left", 40, "hit the wall")
    assert notes.excluded_cycles == (ExcludedCycle("right", 40, "stumbled"), ExcludedCycle("left", 40, "hit the wall"))
    again = notes.with_excluded_cycle("right", 40, "looked aside")
    assert [one.reason for one in again.excluded_cycles] == ["hit the wall", "looked aside"]
    assert notes.with_included_cycle("right", 40).excluded_cycles == (ExcludedCycle("left", 40, "hit the wall"),)
    with pytest.raises(BiomecError, match="Say why"):
        notes.with_excluded_cycle("right", 50, " ")
    with pytest.raises(BiomecError, match="right, left or both"):
        ExcludedCycle("Right", 0, "x")


def test_what_is_stored_is_checked():
    notes = ClinicalNotes(question="Why does he fall?", excluded_cycles=(ExcludedCycle("both", 3, "x"),))
    assert made_from(ClinicalNotes, plain_data(notes)) == notes
    assert made_from(ClinicalNotes, {}) == ClinicalNotes()
    for wrong in ({"findings": 3}, {"excluded_cycles": [["up", 3, "x"]]}, {"excluded_cycles": [["left", 3.5, "x"]]},
                  {"findings": "x" * (LONGEST + 1)}):  # fmt: skip
        with pytest.raises(UnfitError):
            made_from(ClinicalNotes, wrong)


def test_texts_of_a_visit_are_the_first_that_were_written():
    first = ClinicalNotes(diagnosis="CP", findings=" ", excluded="marker lost")
    second = ClinicalNotes(diagnosis="diplegia", findings="crouch", excluded_cycles=(ExcludedCycle("left", 1, "x"),))
    assert joined_notes([first, second]) == ClinicalNotes(diagnosis="CP", findings="crouch")
    assert joined_notes([]) == ClinicalNotes()
