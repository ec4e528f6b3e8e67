"""The screen finds paths that turn a joint the wrong way, those known from the sources and those made wrong here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.arrays import read_only
from biomec.base.fields import shipped
from biomec.body.muscles.fitting import FittedMuscles, fit_muscles
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.muscle_set import MuscleSet
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sign_screen import LEAST_ARM, SHOWN, Sweep, _Skeleton, expected_signs
from biomec.recording.marker_set import Side
from tests.core.body.loads.performed import performed


@pytest.fixture(scope="module")
def arms() -> FittedMuscles:
    return fit_muscles(performed("walk").acquisition.model, load_muscle_set("das4"))


def test_every_group_of_the_table_is_one_of_a_set() -> None:
    groups = {group for name in shipped("muscles/sets") for group in load_muscle_set(name).groups}
    for sweep in expected_signs():
        for pattern in (*sweep.toward, *sweep.against):
            single = replace(sweep, toward=(pattern,), against=())
            assert any(single.sign(group) for group in groups), pattern
        assert not any(
            replace(sweep, against=()).sign(group) and replace(sweep, toward=()).sign(group) for group in groups
        )


def test_legs_pull_the_right_way() -> None:
    assert fit_muscles(performed("walk").acquisition.model, load_muscle_set("legs")).signs == ()


def test_known_faults_of_a_source_are_found(arms: FittedMuscles) -> None:
    """Triceps whose insertion lies inside its cylinder flex the elbow; supinators that change sides."""
    found = {(one.muscle, one.expected) for one in arms.signs}
    wrong = {one.muscle for one in arms.signs if one.wrong_way}
    for side in "rl":
        assert {f"tric_long_1_{side}", f"tric_long_2_{side}", f"supinator_5_{side}"} <= wrong
        assert {(f"tric_med_{k}_{side}", "extension") for k in (1, 2, 4, 5)} <= found
        assert f"tric_long_3_{side}" not in wrong
        assert (f"brachialis_3_{side}", "flexion") not in found
    (notice,) = [one for one in arms.notices if one.code == "muscle-sign-screen"]
    assert set(notice.about) == {one.sided_title for one in arms.signs}
    assert notice.sentence.count("mm at") == SHOWN


def test_both_sides_are_judged_alike(arms: FittedMuscles) -> None:
    right = {(one.muscle[:-2], one.expected): one.arms for one in arms.signs if one.muscle.endswith("_r")}
    left = {(one.muscle[:-2], one.expected): one.arms for one in arms.signs if one.muscle.endswith("_l")}
    assert right.keys() == left.keys()
    for key, values in right.items():
        assert_allclose(left[key], values, rtol=0, atol=1e-3)  # the person's right and left are not quite alike


def test_a_path_on_the_wrong_side_of_the_ankle_is_found_with_its_moment_arm() -> None:
    """A soleus moved to the front of the ankle; the arm is that of the paths of the same person in the static pose."""
    legs, person = load_muscle_set("legs"), performed("walk").acquisition.model
    soleus = legs["soleus_r"]
    first, last = soleus.points
    before = replace(last, at=read_only(last.at + np.array([0.1, 0.0, 0.0])))
    moved = replace(soleus, points=(first, before))
    fitted = fit_muscles(person, MuscleSet("one", "One", (moved, legs["tib_ant_r"])))
    (finding,) = fitted.signs
    assert (finding.muscle, finding.angle, finding.expected) == (
        "soleus_r",
        "right ankle dorsiflexion",
        "plantarflexion",
    )
    assert finding.wrong_way
    assert finding.arms.min() < -10.0 * LEAST_ARM
    paths = muscle_paths(person, person.system.layout.reference()[None], None, fitted)
    static = paths.arms("right ankle")
    assert finding.arms.min() < -static.arms[0, 0, 0] < finding.arms.max()


def test_wrists_have_the_arms_of_another_published_model() -> None:
    """DAS4's five muscles about the straight wrist of a person beside Gonzalez's model (spec of muscles §6.3) [mm]."""
    person = performed("walk").acquisition.model
    fitted = fit_muscles(person, load_muscle_set("arms"))
    skeleton = _Skeleton(person, {"wrist"})
    angle = skeleton.angle(Side.RIGHT, Sweep("wrist", "flexion", (0.0,) * 5, (), (), False))
    assert angle is not None
    R, p = skeleton.poses([angle], np.zeros(5), False)
    theta, turning = fitted.source_angles(R)
    paths = fitted.cords.trace(R, p, theta=np.nan_to_num(theta), turning=np.nan_to_num(turning))
    arms = dict(zip(fitted.names, 1e3 * skeleton.arms(paths, angle, R, p)[0], strict=True))
    for name, published in (("ECRL", -10.1), ("ECRB", -16.3), ("ECU", -6.0), ("FCR", 15.5), ("FCU", 13.9)):
        assert arms[f"{name}_r"] == pytest.approx(published, abs=8.0)  # two specimens; rings and via points
        assert np.sign(arms[f"{name}_r"]) == np.sign(published)
