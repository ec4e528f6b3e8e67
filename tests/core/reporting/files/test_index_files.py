"""Gait indices and values of curves as tables, against scores that are known from constant offsets."""

import csv
import io
import math
from types import SimpleNamespace

import numpy as np
import pytest

from biomec.reporting.clinical_curves import clinical_cycles
from biomec.reporting.files.index_files import discrete_values_csv, gait_indices_csv, index_summary, index_texts
from biomec.reporting.indices.discrete_values import discrete_values
from biomec.reporting.indices.gdi_star import REFERENCES
from biomec.reporting.indices.profile_score import NINE, movement_analysis_profile, profile_score
from biomec.reporting.norms.norm_file import shipped_norm
from tests.core.reporting.clinical.walks import walk

CHILDREN = shipped_norm("children-dixon2017")
REFERENCE = REFERENCES["children-dixon2017"]
MEANS = {name: CHILDREN.band(name).mean for name in NINE}


def off_by(*offsets):
    """Cycles that are so many degrees from the norm in all nine curves."""
    return profile_score({name: np.stack([MEANS[name] + d for d in offsets]) for name in NINE}, MEANS)


def rows(text, *keys):
    return {tuple(row[key] for key in keys): row for row in csv.DictReader(io.StringIO(text))}


def test_scores_are_the_offsets_and_gdi_star_follows_from_them():
    """Offsets of 3 and 5° in every curve: each score 4 ± √2°, with or without the pelvis, right, left and both."""
    scores = {"right": off_by(3.0, 5.0), "left": off_by(4.0)}
    found = rows(gait_indices_csv(scores, CHILDREN, REFERENCE), "index", "side")
    alone = "gait profile score without pelvis (Visual3D)"
    for index in ("gait profile score", alone, "gait variable score, hip flexion"):
        row = found[index, "right"]
        assert float(row["mean"]) == pytest.approx(4.0)
        assert float(row["sd"]) == pytest.approx(math.sqrt(2.0))
        assert row["cycles"] == "2"
    assert found["gait variable score, hip flexion", "left"]["people of the norm"] == "6.73"
    squares = [(9 * 4.0**2 + 6 * d**2) / 15 for d in (3.0, 5.0)]
    assert float(found["gait profile score", "both"]["mean"]) == pytest.approx(np.mean(np.sqrt(squares)), rel=1e-6)
    gdi = found["GDI* (n = 24)", "left"]
    assert float(gdi["mean"]) == pytest.approx(100.0 - 10.0 * (math.log(4.0) - 1.6905) / 0.2476, rel=1e-6)
    assert (alone, "left") not in found


def test_scores_without_a_reference_have_no_people_and_no_gdi():
    found = rows(gait_indices_csv({"left": off_by(4.0)}, CHILDREN, None), "index", "side")
    assert not any(index.startswith("GDI") for index, _ in found)
    assert found["gait profile score", "left"]["people of the norm"] == ""
    assert ("gait profile score", "both") not in found


def test_the_profile_can_count_six_curves_on_the_right_as_visual3d_does():
    offsets = dict.fromkeys(NINE, 2.0) | {"pelvis tilt": 8.0}
    one = profile_score({name: (MEANS[name] + d)[None] for name, d in offsets.items()}, MEANS)
    ours, theirs = (movement_analysis_profile(one, one, six_right=six) for six in (False, True))
    with_pelvis = f"{math.sqrt((8 * 4.0 + 64.0) / 9):.1f}"
    assert ours.rows[-1][1:3] == (with_pelvis, with_pelvis)
    assert theirs.rows[-1][1:3] == ("2.0", with_pelvis)
    assert ours.rows[-1][3] == theirs.rows[-1][3] == f"{math.sqrt((14 * 4.0 + 64.0) / 15):.1f}"
    assert ours.rows[:-1] == theirs.rows[:-1]
    assert "As in Visual3D, the score of the left side has 9 curves, of the right 6," in theirs.note


def test_values_stand_beside_the_norm_with_z_and_edges():
    """A straight knee that bends to 50° at 75 %, and one that bends until the end of the cycle."""
    percent = np.linspace(0.0, 100.0, 101)
    bent = 50.0 * np.maximum(0.0, 1.0 - np.abs(percent - 75.0) / 20.0)
    rising = np.maximum(0.0, percent - 60.0)
    values = {"right": discrete_values({"knee flexion": np.stack([bent, bent + 2.0])}, [60.0, 60.0]),
              "left": discrete_values({"knee flexion": rising}, [60.0])}  # fmt: skip
    found = rows(discrete_values_csv(values, CHILDREN), "value", "side")
    peak = found["knee flexion, peak in swing", "right"]
    norm = next(one for one in CHILDREN.discrete if one.name == "knee flexion, peak in swing")
    assert float(peak["mean"]) == pytest.approx(51.0)
    assert float(peak["sd"]) == pytest.approx(math.sqrt(2.0))
    assert float(peak["at (% of the cycle)"]) == pytest.approx(75.0)
    assert float(peak["z"]) == pytest.approx((51.0 - norm.mean) / norm.sd, rel=1e-6)
    assert (peak["norm"], peak["cycles"], peak["cycles at the edge"]) == ("children-dixon2017", "2", "0")
    assert found["knee flexion, peak in swing", "left"]["cycles at the edge"] == "1"
    bare = rows(discrete_values_csv(values, None), "value", "side")["knee flexion, peak in swing", "right"]
    assert (bare["norm"], bare["norm mean"], bare["z"]) == ("", "", "")
    assert not any(value.startswith("hip") for value, _ in found)


def test_a_walk_has_both_files_and_a_summary_of_the_same_numbers():
    """Recomputed from the curves of `clinical_cycles` with the plain formulas."""
    analysis = walk()
    texts, facts = index_texts(analysis), index_summary(analysis)
    norm = shipped_norm(facts["norm"])
    curves = clinical_cycles(analysis).curves
    scores = rows(texts["gait_indices.csv"], "index", "side")
    for side in ("right", "left"):
        off = [curves[side, name].curves[:, ::2] - norm.band(name).mean[::2] for name in NINE]
        apart = np.sqrt(np.mean(np.square(off), axis=2))
        expected = np.sqrt(np.mean(np.square(apart), axis=0)).mean()
        assert float(scores["gait profile score", side]["mean"]) == pytest.approx(expected, rel=1e-6)
        assert facts[side]["gait_profile_score_deg"] == pytest.approx(expected, rel=1e-9)
        assert f"GDI* (n = {facts[side]['gdi_star_limbs']})" in {index for index, _ in scores}
    assert facts["both"]["gait_profile_score_deg"] > 0.0
    values = rows(texts["discrete_values.csv"], "value", "side")
    knee = curves["right", "knee flexion"].curves
    assert float(values["knee flexion, range", "right"]["mean"]) == pytest.approx(np.ptp(knee, axis=1).mean(), rel=1e-6)


def test_other_movements_have_neither():
    lying = SimpleNamespace(done={}, derived=lambda make: make(lying))
    assert index_texts(lying) == {}
    assert index_summary(lying) is None
