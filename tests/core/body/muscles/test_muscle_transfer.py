"""Transferred tendons: surfaces that they keep, torques that lose their only muscle; paths that are not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.muscles.fitting import FittedMuscles, fit_muscles
from biomec.body.muscles.joint_contact import joint_contacts
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.muscle_set import MuscleSet
from biomec.body.muscles.muscle_transfer import transferred, transferred_model
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sharing_model import person_muscles
from biomec.body.muscles.sharing_options import SharingOptions
from biomec.body.muscles.what_if import MuscleQuestion, MuscleVariant, compare_variants
from biomec.engine.paths.cords import Cord
from tests.core.body.loads.performed import performed


@pytest.fixture(scope="module")
def arms() -> FittedMuscles:
    return fit_muscles(performed("walk").acquisition.model, load_muscle_set("arms"))


def cord(fitted: FittedMuscles, name: str) -> Cord:
    return fitted.cords.cords[fitted.names.index(name)]


def test_a_transferred_muscle_keeps_the_surfaces_of_the_way_that_it_keeps(arms: FittedMuscles) -> None:
    """Latissimus to the end of teres minor runs over the ribs as before; it lost them."""
    moved = cord(transferred(arms, ["LatissimusDorsi_M_r"], "TeresMinor_r"), "LatissimusDorsi_M_r")
    assert [one.surface.split(" ")[-1] for one in moved.contacts] == ["Thorax"]
    assert moved.contacts[0].last == len(moved.points) - 1
    assert moved.points[-1] is cord(arms, "TeresMinor_r").points[-1]


def test_a_torque_that_loses_its_only_muscle_is_lacking() -> None:
    """The only extensor of an ankle is sewn to the front of the foot: nobody pulls it down any more."""
    case, legs = performed("walk"), load_muscle_set("legs")
    names = [one.name for one in legs.muscles if one.name.endswith("_l") or one.name in ("soleus_r", "tib_ant_r")]
    few = MuscleSet("few", "Few", tuple(legs[name] for name in names))
    frames = np.arange(0, len(case.q), 40)
    person = case.acquisition.model
    paths = muscle_paths(person, case.q, case.qdot, fit_muscles(person, few), motion=case.motion)
    model, options = person_muscles(paths, case.loads()), SharingOptions()
    forces = muscle_forces(model, options)
    contacts = joint_contacts(model, forces, case.motion)
    question = MuscleQuestion(model, options, case.motion, None, forces, contacts)
    moved = transferred_model(paths, model, ["soleus_r"], "tib_ant_r", np.arange(len(case.q)))
    assert moved.rows.titles == model.rows.titles
    (answer,) = compare_variants(question, [MuscleVariant("transfer", model=moved)])
    k = moved.rows.titles.index("right ankle dorsiflexion")
    assert (moved.arms[frames, :, k] >= 0.0).all()
    assert not answer.carried
    wanted = moved.rows.wanted[frames, k]
    pushing = wanted < -20.0
    assert (answer.forces.reserve[frames, k][pushing] < -20.0 * 0.99).all()


def test_a_muscle_without_a_path_is_listed() -> None:
    case = performed("walk")
    person = case.acquisition.model
    paths = muscle_paths(person, case.q, case.qdot, fit_muscles(person, load_muscle_set("legs")), motion=case.motion)
    m = paths.names.index("soleus_r")
    model = person_muscles(paths, case.loads())
    optimum = model.rigid.optimum.copy()
    optimum[:46, m] = np.nan  # a tenth of the frames
    notices = muscle_forces(replace(model, rigid=model.rigid._replace(optimum=optimum))).notices
    (found,) = [one for one in notices if one.code == "muscles-without-path"]
    assert "right soleus (10 %)" in found.sentence
    assert not [one for one in muscle_forces(model).notices if one.code == "muscles-without-path"]


@pytest.mark.parametrize(
    ("donor", "target"),
    [("FCU_r", "ECRB_r"), ("Coracobrachialis_r", "BRA_r")],
    ids=["of one source", "of two sources"],
)
def test_a_transferred_muscle_runs_over_the_points_of_both_and_keeps_its_fibres(
    arms: FittedMuscles, donor: str, target: str
) -> None:
    """Its length is that of the polygon if it touches no surface; fibres in the static pose are as long as before."""
    moved = transferred(arms, [donor], target)
    m = arms.names.index(donor)
    person = arms.person
    pose = person.system.reference[None]
    before, after = (muscle_paths(person, pose, None, one) for one in (arms, moved))
    assert moved.muscles[m].lopt == arms.muscles[m].lopt
    assert moved.muscles[m].fmax == arms.muscles[m].fmax
    fibres = [(one.length[0, m] - fitted.muscles[m].lts) for one, fitted in ((before, arms), (after, moved))]
    assert fibres[1] == pytest.approx(fibres[0], abs=1e-14)
    R, origin = after.motion.R_WB[0], after.origin[0]
    at = np.array([origin[b] + R[b] @ point.at for point in cord(moved, donor).points
                   for b in [after.motion.index(point.body)]])  # fmt: skip
    straight = np.linalg.norm(np.diff(at, axis=0), axis=1).sum()
    if not np.isfinite(
        after.paths.contact[0, moved.cords.tables.wrap_first[m] : moved.cords.tables.wrap_first[m + 1]]
    ).any():
        assert after.length[0, m] == pytest.approx(straight, abs=1e-14)
    else:
        assert after.length[0, m] >= straight - 1e-12
    others = np.arange(len(arms.names)) != m
    assert np.array_equal(after.length[0, others], before.length[0, others])


def test_a_muscle_cannot_be_moved_to_the_other_side(arms: FittedMuscles) -> None:
    with pytest.raises(BiomecError, match="cannot be moved to the other side"):
        transferred(arms, ["FCU_r"], "ECRB_l")
