"""A landmark that is missing or misplaced in the static costs the segments that need it, never the analysis."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.anatomy.inertia import InertiaOptions
from biomec.body.anatomy.inertia_table import shipped_inertia_tables
from biomec.body.anatomy.model_file import load_model, parse_model, shipped_models
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model
from biomec.engine import Projector
from biomec.io.marker_set_file import load_marker_set
from biomec.virtual.person import VirtualPerson
from biomec_resources import resource
from tests.core.body.anatomy.test_shipped_models import gait_person

FULL = load_marker_set("biomec-full")
PERSON = VirtualPerson(81.6, 1.79, "male")
CLUSTERS = ("CL", "Au")  # markers that no model needs by name
MODELS = {name: load_model(name) for name in shipped_models()}


def person_of(model: str):
    """Markers, marker set and subject of a person who wears what a model needs."""
    if model == "plug-in-gait":
        markers, subject = gait_person()
        return markers, load_marker_set("plug-in-gait"), subject
    return PERSON.markers, FULL, PERSON.subject


def built(model: str, *missing: str, moved: dict[str, np.ndarray] | None = None, **options) -> SubjectModel:
    markers, marker_set, subject = person_of(model)
    markers = {name: p for name, p in markers.items() if name not in missing} | (moved or {})
    return build_subject_model(MODELS[model], markers, marker_set, subject, ModelOptions(**options))


@pytest.mark.parametrize("model", ["m21", "m17", "upper-limb"])
def test_a_forearm_without_the_radial_styloid_keeps_its_ulna(model):
    """It was: "Inertia of the right ulna: the static pose has no usable CAP_D, ER_D … leave the segment out"."""
    body = built(model, "ER_D")
    assert set(body.left_out) == {"right radius", "right hand"}
    ulna, whole = body.inertia.segments["right ulna"], built(model).inertia.segments["right ulna"]
    sentences = {notice.code: notice.sentence for notice in body.notices if "right ulna" in notice.about}
    assert "because the static pose has no CAP_D" in sentences["length-from-stature"]
    assert "PME_D, EU_D, EL_D, EM_D" in sentences["inertial-frame-substitute"]
    assert ulna.mass == pytest.approx(whole.mass, rel=1e-12)
    # the wrist's centre lies half a wrist (3 cm) beside EU, so that the axis turns by 0.03/0.27 at most, and the centre
    # of mass at 42 % of the length with it; the person's forearm is as long as the stature foretells within 10 %
    assert np.linalg.norm(ulna.com_W - whole.com_W) < 0.02
    assert_allclose(np.linalg.eigvalsh(ulna.J_W), np.linalg.eigvalsh(whole.J_W), rtol=0.25)


@pytest.mark.parametrize(
    ("model", "table"),
    [*((model, "dumas-2007") for model in MODELS), *(("m17", table) for table in shipped_inertia_tables()[1:])],
)
def test_any_one_landmark_missing_costs_at_most_what_needs_it(model, table):
    """Every single landmark of the static is taken away: only a body that nothing carries is refused."""
    refused = {}
    markers = person_of(model)[0]
    names = [name for name in markers if not (name.endswith("_E") or name[:2] in CLUSTERS or name[0] == "L")]
    for name in names:  # the left mirrors the right
        try:
            body = built(model, name, inertia=InertiaOptions(table=table))
        except BiomecError as error:
            refused[name] = str(error)
        else:
            assert set(body.left_out) | set(body.system.layout.bodies) == {s.name for s in MODELS[model].segments}
    for name, why in refused.items():
        assert "none of the segments that carry it" in why, (name, why)
        assert why.count(f"({name})") == 1 or f"({name}) is absent" in why, why
        assert len(MODELS[model].roots) == 1


def test_a_segment_whose_inertia_cannot_be_placed_drops_out_with_that_reason(tmp_path):
    """A table of the user's own, without substitutes, stopped the analysis because of one landmark."""
    table = resource("inertia", "dumas-2007.toml").read_text("utf-8")
    own = "\n".join(line for line in table.splitlines() if "PME_* - EU_*" not in line)
    path = tmp_path / "own.toml"
    path.write_text(own, "utf-8")
    body = built("m21", "ER_D", inertia=InertiaOptions(table=str(path)))
    why = "its inertia cannot be placed, because the static pose has no usable CAP_D, ER_D"
    assert body.left_out["right ulna"] == why
    assert f"The right ulna is left out of the model: {why}." in [notice.sentence for notice in body.notices]
    assert "left ulna" in body.system.layout.bodies


def test_landmarks_on_a_line_cost_their_segment_and_are_named():
    """It was: "Body head: point CAC has a coordinate that is not a number"."""
    line = {"GLAB": 0.5 * (built("m21").static["CAC"] + PERSON.markers["VC"])}
    body = built("m21", moved=line)
    assert body.left_out["head"] == (
        "its frame cannot be built, because VC, CAC, GLAB lie at one place or on a line in the static; "
        "check their labels"
    )
    with pytest.raises(BiomecError, match=r"none of the segments that carry it .*CIAS_D, CIAS_E.* on a line in the st"):
        built("legs", moved={"PMCP": PERSON.markers["CIAS_D"] + np.array([0.0, 0.0, 0.02])})


def test_an_axis_without_length_costs_what_hangs_on_it_and_is_named():
    """It was: "Body right thigh: its vector axis of right knee needs 3 coordinates, all of them numbers"."""
    text = """\
name = "mine"
title = "A knee about the line of two markers"
landmarks = ["T_*"]
base = "legs"
joint = [
  { name = "* knee", type = "revolute", proximal = "* thigh", distal = "* shank", centre = "KJC_*", axis = "T_* - T8" },
]
"""
    markers = dict(PERSON.markers) | {"T_D": PERSON.markers["T8"], "T_E": PERSON.markers["T8"] + 0.1}
    body = build_subject_model(parse_model(text, "mine.toml"), markers, FULL, PERSON.subject)
    assert body.left_out["right shank"] == (
        "its joint, right knee, has no axis, because T_D, T8 lie at one place or on a line in the static; check "
        "their labels"
    )
    assert "left shank" in body.system.layout.bodies


def test_a_landmark_that_could_be_computed_from_itself_is_told_once():
    """It was: "thorax: PTS needs C7; C7 needs PTS"."""
    with pytest.raises(BiomecError) as refusal:
        built("upper-limb", "C7")
    assert str(refusal.value).count("PTS") == str(refusal.value).count("C7") == 1, refusal.value
    why = built("upper-limb", "EM_D", "EL_D").left_out["right humerus"]
    assert why.count("needs") == why.count("PME_D") == why.count("EM_D") == 1, why


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_thorax_of_the_upper_limb_has_the_mass_of_a_torso(sex):
    """It was: "Velocities … were projected with all coordinates alike instead of by the masses", for want of one."""
    person = VirtualPerson(70.0, 1.70, sex)
    body = build_subject_model(MODELS["upper-limb"], person.markers, FULL, person.subject)
    whole = build_subject_model(MODELS["m21"], person.markers, FULL, person.subject)
    thorax, torso = body.inertia.segments["thorax"], whole.inertia.segments["thorax"]
    assert thorax.mass == pytest.approx(torso.mass, rel=1e-12)
    assert "torso from IJ" in thorax.source
    assert np.linalg.norm(thorax.com_W - torso.com_W) < 0.06  # by the depth at IJ, which varies by 20 % among people
    assert all(part.mass > 0.0 for part in body.system.bodies)
    Projector(body.system)  # raises if the masses do not suffice


def test_the_shoulder_goes_with_the_revision_of_the_table():
    """It was: the shoulder of 2007 (0.43 of the depth of the trunk) with the inertia of 2018 (0.33)."""
    table = InertiaOptions(table="dumas-wojtusch-2018")
    assert built("m17").plan.methods["GU_D"] == "shoulder-dumas-2007"
    body = built("m17", inertia=table)
    assert body.plan.methods["GU_D"] == "shoulder-dumas-2018"
    depth = np.linalg.norm(body.static["C7"] - body.static["IJ"])
    assert np.linalg.norm(body.static["GU_D"] - body.static["AC_D"]) == pytest.approx(0.33 * depth, rel=1e-9)
    sentences = [notice.sentence for notice in body.notices if notice.code == "centres"]
    assert "GU by shoulder-dumas-2018" in sentences[0]
    chosen = built("m17", inertia=table, centres={"GU_*": "shoulder-reed-1999"})
    assert chosen.plan.methods["GU_D"] == "shoulder-reed-1999"
