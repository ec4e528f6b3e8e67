"""A recording analysed in the sagittal plane: the published counts, and the sagittal angles and torques of the walk."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.mixed_coordinates import mixed_coordinates
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.sagittal import sagittal_plane
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.recording import Session
from biomec.reporting.content.configuration import configuration
from biomec.reporting.facts import model_facts
from biomec.virtual import RecordOptions, VirtualAcquisition, VirtualPerson, Walk, record

PERSON = VirtualPerson(75.0, 1.77, "male")
OPTIONS = RecordOptions(rate_hz=50.0, plate_rate_hz=100.0)


def walked(heading: float = 0.0) -> tuple[VirtualAcquisition, Session]:
    acquisition = record(Walk(strides=2), PERSON, replace(OPTIONS, heading_rad=heading))
    return acquisition, Session(acquisition.dynamic, acquisition.static, subject=PERSON.subject)


def analysed(session: Session, model: str | None) -> Analysis:
    usual = AnalysisSettings()
    return analyze(session, replace(usual, body=BodySettings(model=model)))


@pytest.fixture(scope="module")
def both() -> tuple[Analysis, Analysis]:
    _, session = walked()
    return analysed(session, "m12-sagittal"), analysed(session, None)


def test_the_planar_body_has_the_published_counts(both):
    """12 bodies, 13 points, 12 angles: 38 coordinates, 14 degrees of freedom [Mouzo2018]."""
    counts = mixed_coordinates(load_model("m12-sagittal"))
    assert (counts.bodies, counts.points, counts.vectors, counts.angles) == (12, 13, 0, 12)
    assert (counts.coordinates, counts.degrees_of_freedom) == (38, 14)
    facts = model_facts(both[0])
    assert (facts["dof"].value, facts["mixed"].value, facts["case"].text) == (14, 38, "sagittal plane")
    general = next(iter(configuration(both[0])))
    assert dict(general.tables[0].rows)["Model case"] == "sagittal plane"


def test_everything_stays_in_the_plane(both):
    planar, _ = both
    plane, person = planar.body.plane, planar.body.person
    points = np.stack(list(person.points_of(planar.motion.q).values()))
    assert np.nanmax(np.abs((points - plane.origin) @ plane.normal)) < 1e-9
    loads = planar.loads.newton_euler
    within = loads.torque - (loads.torque @ plane.normal)[..., None] * plane.normal
    assert np.nanmax(np.abs(within)) < 1e-8  # [N m]: hinges across the plane carry all torques
    assert np.nanmax(np.abs(loads.force @ plane.normal)) < 1e-8


def test_sagittal_angles_and_torques_are_those_of_the_body_in_space(both):
    """The plane loses what turns out of it: a few degrees of the trunk, a few N m of the hips."""
    planar, space = both
    for name, degrees in (("right knee flexion", 1.5), ("left knee flexion", 1.5), ("right ankle dorsiflexion", 2.0)):
        difference = np.degrees(planar.angles[name] - space.angles[name])
        assert np.nanmax(np.abs(difference)) < degrees, name
        assert np.degrees(np.nanmax(planar.angles[name]) - np.nanmin(planar.angles[name])) > 30.0
    right = planar.body.plane.normal
    counted = planar.loads.trust.residuals.counted & space.loads.trust.residuals.counted
    assert counted.sum() > 40
    for joint, least in (("right knee", 0.999), ("left ankle", 0.999), ("right hip", 0.995)):
        mine, theirs = (
            one.loads.newton_euler.torque[counted, one.loads.newton_euler.index(joint)] @ right for one in both
        )
        assert np.corrcoef(mine, theirs)[0, 1] > least, joint
        assert np.sqrt(np.mean((mine - theirs) ** 2)) < 0.03 * np.ptp(theirs), joint


def test_turning_the_laboratory_changes_nothing_in_the_plane(both):
    planar, _ = both
    turned = analysed(walked(0.7)[1], "m12-sagittal")
    # cut-offs are found axis by axis, so that a turned laboratory filters a little differently
    for name in ("right knee flexion", "left hip flexion"):
        np.testing.assert_allclose(turned.angles[name], planar.angles[name], rtol=0, atol=np.deg2rad(0.1))
    counted = planar.loads.trust.residuals.counted & turned.loads.trust.residuals.counted
    k = planar.loads.newton_euler.index("right knee")
    mine, theirs = (one.loads.newton_euler.torque[counted, k] @ one.body.plane.normal for one in (planar, turned))
    np.testing.assert_allclose(theirs, mine, rtol=0, atol=1.0)


def test_who_walks_backwards_keeps_the_right_side():
    path = np.linspace(0.0, 3.0, 20)[:, None] * np.array([1.0, 0.0, 0.2])
    right = np.array([0.1, 0.0, -0.5])
    for sense in (1.0, -1.0):
        points = {"CIAS_D": sense * path + right, "CIAS_E": sense * path - right, "PMCP": sense * path}
        plane = sagittal_plane(points)
        assert plane.normal @ right > 0.0
        assert abs(plane.normal @ path[-1]) < 1e-12


def test_no_plane_without_a_right_and_a_left():
    with pytest.raises(BiomecError, match="sagittal plane cannot be found"):
        sagittal_plane({"PMCP": np.zeros((3, 3))})
