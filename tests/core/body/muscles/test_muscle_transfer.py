"""Transferred tendons: surfaces that they keep, torques that lose their only muscle; paths that are not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.joint_contact import joint_contacts
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.muscle_set import MuscleSet
from biomec.body.muscles.muscle_transfer import transferred_model, transferred_muscle
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sharing_model import person_muscles
from biomec.body.muscles.sharing_options import SharingOptions
from biomec.body.muscles.what_if import MuscleQuestion, MuscleVariant, compare_variants
from tests.core.body.loads.performed import performed


def test_a_transferred_muscle_keeps_the_surfaces_of_the_way_that_it_keeps() -> None:
    """Latissimus to the end of teres minor runs over the ribs as before; it lost them."""
    arms = load_muscle_set("shoulder")
    moved = transferred_muscle(arms["LatissimusDorsi_M_r"], arms["TeresMinor_r"])
    assert [one.wrap for one in moved.wraps] == ["Thorax"]
    assert moved.wraps[0].last == len(moved.points) - 1
    assert moved.points[-1] is arms["TeresMinor_r"].points[-1]


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


def test_muscles_of_two_sources_are_refused() -> None:
    legs, arms = load_muscle_set("legs"), load_muscle_set("shoulder")
    with pytest.raises(Exception, match="come from the same source"):
        transferred_muscle(legs["soleus_r"], arms["TeresMinor_r"])
