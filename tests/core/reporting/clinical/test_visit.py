"""Visits: cycles of several recordings pooled, what is excluded left out with its reason, what differs refused."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.recording import ClinicalNotes, Subject
from biomec.reporting.clinical.visit import labels_of, visit_of
from biomec.reporting.clinical_curves import clinical_cycles
from biomec.reporting.statistics.time_and_distance import time_and_distance
from tests.core.reporting.clinical.walks import walk


def noted(notes: ClinicalNotes, analysis: Analysis | None = None, **session) -> Analysis:
    one = walk() if analysis is None else analysis
    return replace(one, session=replace(one.session, notes=notes, **session))


def test_one_recording_is_a_visit_of_one():
    visit, alone = visit_of([walk()]), clinical_cycles(walk())
    assert set(visit.cycles()) == set(alone.curves)
    for key, curve in visit.cycles().items():
        assert_array_equal(curve.curves, alone.curves[key].curves)
        group = walk().cycles.groups[key[0].capitalize()]
        spans = [(one.first, one.last) for one in curve.origins]
        assert spans == [tuple(group.spans[one.number]) for one in curve.origins]
    assert visit.counts_in_words() == "angles 3 R, 3 L; loads 2 R, 2 L"
    assert visit.left_out_cycles == ()
    assert visit.speed_m_s == pytest.approx(alone.speed_m_s)


def test_cycles_of_two_recordings_are_pooled():
    one, two = visit_of([walk()]), visit_of([walk(), walk()])
    assert [trial.name for trial in two.trials] == [one.trials[0].name, f"{one.trials[0].name} (2)"]
    knee = two.cycles()["right", "knee flexion"]
    assert_array_equal(knee.curves, np.tile(one.cycles()["right", "knee flexion"].curves, (2, 1)))
    assert [origin.trial for origin in knee.origins] == [0, 0, 0, 1, 1, 1]
    assert two.counts_in_words() == "angles 6 R, 6 L; loads 4 R, 4 L"
    alone, both = time_and_distance(walk()), two.time_and_distance
    assert both.mean("cadence", "both") == pytest.approx(alone.mean("cadence", "both"))
    assert both.spread("step_length", "Left").count == 2 * alone.spread("step_length", "Left").count
    assert both.counts["loads"] == {"Right": 4, "Left": 4}


def test_foot_off_is_where_the_virtual_foot_leaves_the_ground():
    """The virtual walk lifts a foot at 60 % of its stride; the other one at 10 %, and puts it down at 50 %."""
    hip = visit_of([walk()]).cycles()["left", "hip flexion"]
    # The load comes and goes smoothly within the 10 % of double support. Between the thresholds for strike and off lie
    # about 7 % of the stride, so both offs are found 3 to 4 % early; strikes are alike.
    assert_allclose(hip.foot_off, 58.0, atol=2.0)
    assert_allclose(hip.opposite_foot_off, 8.0, atol=2.0)
    assert_allclose(hip.opposite_contact, 50.0, atol=0.1)


def test_an_excluded_cycle_counts_nowhere_and_is_listed():
    group = walk().cycles.groups["Right"]
    frame = group.borders[1] + walk().session.dynamic.first_frame
    notes = ClinicalNotes().with_excluded_cycle("right", frame, "stumbled")
    analysis = noted(notes)
    assert analysis.is_current("loads")
    assert analysis.cycles.valid == walk().cycles.valid - 1
    assert_allclose(
        analysis.cycles.curves["Right"].mean, walk().cycles.curves["Right"].curves[[0, 2]].mean(axis=0), atol=1e-12
    )
    visit, name = visit_of([analysis, walk()]), walk().session.dynamic.source.name.partition(".")[0]
    knee = visit.cycles()["right", "knee flexion"]
    assert [(one.trial, one.number) for one in knee.origins] == [(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert [(one.trial, one.side, one.number, one.reason) for one in visit.left_out_cycles] == [
        (name, "right", 1, "stumbled")
    ]
    assert visit.time_and_distance.spread("stride_time", "Right").count == 5
    assert visit.lost_exclusions == ()
    gone = visit_of([noted(ClinicalNotes().with_excluded_cycle("right", frame + 3, "stumbled"))])
    assert gone.counts_in_words().startswith("angles 3 R, 3 L")
    assert "no longer exists" in gone.lost_exclusions[0]


def test_an_excluded_recording_stays_with_its_reason():
    visit = visit_of([noted(ClinicalNotes(excluded="ran")), walk()])
    assert [one.excluded for one in visit.trials] == ["ran", ""]
    assert visit.first is walk()
    assert {one.trial for curve in visit.cycles().values() for one in curve.origins} == {1}
    none = visit_of([noted(ClinicalNotes(excluded="ran"))])
    assert (none.cycles(), none.counts_in_words(), none.speed_m_s) == ({}, "angles none; loads none", None)


@pytest.mark.parametrize(
    ("what", "other"),
    [("people", {"subject": Subject("Somebody Else")}),
     ("days", {"recorded": date(2025, 1, 1)}), ("conditions", {"notes": ClinicalNotes(condition="shod")})],
)  # fmt: skip
def test_what_does_not_belong_together_is_refused(what, other):
    notes = ClinicalNotes(condition="barefoot")
    subject = replace(walk().session.subject, name="Virtual Person")
    first = noted(notes, subject=subject, recorded=date(2025, 1, 2))
    second = noted(**{"notes": notes, "subject": subject, "recorded": date(2025, 1, 2)} | other)
    with pytest.raises(BiomecError, match=f"different {what}: .* Pool what belongs together"):
        visit_of([first, second])
    visit_of(
        [first, noted(ClinicalNotes(), subject=replace(subject, name=" virtual  person"), recorded=date(2025, 1, 2))]
    )


def test_a_visit_needs_cycles_and_a_recording():
    with pytest.raises(BiomecError, match="at least one recording"):
        visit_of([])
    with pytest.raises(BiomecError, match="Cycles"):
        visit_of([replace(walk(), done={})])


def test_visits_are_called_by_what_tells_them_apart():
    def visit(day, condition=""):
        return visit_of([noted(ClinicalNotes(condition=condition), recorded=day)])

    one, other = date(2025, 3, 3), date(2026, 3, 2)
    assert labels_of([visit(one)]) == ("",)
    assert labels_of([visit(one), visit(other)]) == ("3 March 2025", "2 March 2026")
    assert labels_of([visit(one, "shod"), visit(one, "barefoot")]) == ("shod", "barefoot")
    assert labels_of([visit(one), visit(one)]) == ("visit 1, 3 March 2025", "visit 2, 3 March 2025")
