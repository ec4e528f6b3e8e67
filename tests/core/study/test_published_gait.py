"""Tracked gait of the published table: short stretches of the virtual walks, with devices, against known truth."""

import csv
import io
import json

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.tracking.controllers import ControlOptions
from biomec.cli import main
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.springs import springs
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.study.published_gait import ROWS, GaitStudy, VirtualGaits, device_csv, gait_csv, gait_json, published_gait

OPTIONS = GaitStudy(stretch_s=0.05)


@pytest.fixture(scope="module")
def gaits():
    return VirtualGaits(OPTIONS)


@pytest.fixture(scope="module")
def followed(gaits):
    """Assisted walks, computed torque: S20, S22, and S22 with one orthosis."""
    return {orthoses: gaits.followed(orthoses) for orthoses in ("two", "two free", "one free")}


def test_assisted_walks_are_followed_as_well_as_published(followed):
    """S20, S22: the orders of S14, 1e-6 m, 1e-4 rad, 1 N, 0.1 N m, within a factor of ten (another integrator)."""
    for tracking in followed.values():
        assert tracking.completed
        for value, order in zip(tracking.rms.values(), (1e-6, 1e-4, 1.0, 0.1, 0.1), strict=True):
            assert value < 10.0 * order


def test_controller_and_orthosis_share_the_torque_of_inverse_dynamics(gaits, followed):
    """Embedded: their sum is that of the movement. What the controller exerts is found apart, by equations of motion.

    About the knee's axis, at every simulated state: effort of the joint (JointSpace) = person's share (Newton-Euler,
    less the spring).
    """
    walk, tracking = gaits.walk("two"), followed["two"]
    found = {share.joint: share for share in walk.devices(tracking).shares}
    assert set(found) == {f"{side} {joint}" for side in ("right", "left") for joint in ("knee", "ankle")}
    for joint, share in found.items():
        controller = tracking.effort[:, tracking.names.index(f"{joint}, z")]
        assert np.abs(share.device).max() > 1.0
        # differs by the rounding of sums over 20 segments; efforts are in axes of the proximal segment, z its flexion
        np.testing.assert_allclose(share.person, controller, rtol=0, atol=1e-6)
        wanted = tracking.wanted_effort[:, tracking.names.index(f"{joint}, z")]
        np.testing.assert_allclose(controller, wanted, rtol=0, atol=0.5)  # the step's error, Table 3.4: 0.1


def test_nothing_drives_the_hinges_of_free_orthoses(gaits, followed):
    tracking = followed["two free"]
    hinges = {name for k, name in enumerate(tracking.names) if k in tracking.passive}
    assert hinges == {f"{side} orthosis {joint}, axis" for joint in ("ankle", "knee") for side in ("right", "left")}
    assert not tracking.effort[:, list(tracking.passive)].any()
    cuffs = gaits.walk("two free").devices(tracking).cuffs
    assert len(cuffs) == 4
    for cuff in cuffs:
        force = np.linalg.norm(cuff.force, axis=1)
        assert 5.0 < force.max() < 1000.0
        # where the virtual person has them: Fourier series of the stride, without the engine
        away = np.linalg.norm(cuff.gap - _gap(gaits, cuff.name, tracking), axis=1)
        assert away.max() < 2e-4  # [m]; the series leave out what is faster than 12 Hz


def _gap(gaits, name, tracking):
    """Gap of a cuff in the virtual person's own movement at the simulated times, in axes of the limb."""
    walk = gaits.walk("two free")
    layout = walk.person.system.layout
    spring = next(one for one in walk.person.springs if one.name == name)
    limb = spring.first.partition(".")[0]
    found = []
    for t in tracking.time_s:
        q, _ = walk.reference.state(float(t))
        d = layout.point(spring.second)(q) - layout.point(spring.first)(q)
        found.append([layout.local_vector(limb, axis)(q) @ d for axis in np.eye(3)])
    return np.array(found)


def test_matrix_r_gives_the_accelerations_of_the_tracked_body(gaits, followed):
    """By another formulation: with the efforts that were found, matrix R moves subject and orthoses alike.

    The subject then accelerates as asked, though nobody drives the orthoses.
    """
    walk, tracking = gaits.walk("two free"), followed["two free"]
    run, space, system = tracking.simulation, walk.reference.space, walk.person.system
    k = len(run.time_s) // 2
    t, q, qdot = float(run.time_s[k]), run.q[k], run.qdot[k]
    acting = together(weight(system), walk.ground, springs(system, walk.person.elements))
    u = tracking.effort[np.searchsorted(tracking.time_s, t - 1e-9)]
    found = IndependentCoordinates(system).accelerations(q, qdot, acting(t, q, qdot) + space.generalised(q, u)).qddot
    # both solve the same equations; relative to 600 m/s², conditioning of M 1e5
    np.testing.assert_allclose(found, run.qddot[k], rtol=0, atol=1e-9 * np.abs(found).max())
    here, control = walk.reference.at(t), ControlOptions()
    e = space.deviation(q, here.pose)
    wanted = here.wdot + control.c_D * (here.w - space.rates(q, qdot)) + control.stiffness * e
    terms = space.terms(q, qdot, acting(t, q, qdot))
    wdot, _ = space.solve(terms, u)
    led = np.setdiff1d(np.arange(space.size), tracking.passive)
    np.testing.assert_allclose(wdot[led], wanted[led], rtol=0, atol=1e-8)
    assert np.abs(wdot - wanted)[list(tracking.passive)].max() > 1e-3  # they are free


def test_every_published_number_stands_beside_ours(gaits):
    found = published_gait(OPTIONS, ("S14", "S20", "S18"), gaits=gaits)
    rows = list(csv.DictReader(io.StringIO(gait_csv(found))))
    assert len(rows) == 15
    assert {row["outcome"] for row in rows if row["row"] == "S14"} == {"completed"}
    place = next(row for row in rows if (row["row"], row["quantity"]) == ("S20", "place"))
    assert float(place["here/published"]) == pytest.approx(float(place["here"]) / 1e-6, rel=1e-3)
    if ROWS["S18"].run is None:
        assert {row["outcome"] for row in rows if row["row"] == "S18"} == {"not simulated here"}
    told = json.loads(gait_json(found, OPTIONS))
    course = list(csv.DictReader(io.StringIO(device_csv(found[1]))))
    assert len(course) == len(found[1].time_s) > 40
    assert {"time_s", "left ankle flexion torque, person (N·m)"} <= set(course[0])
    assert told["rows"][1]["devices_max"]["right knee flexion torque, device (N·m)"] > 1.0


def test_a_row_that_does_not_exist_is_refused(capsys):
    with pytest.raises(BiomecError, match="The table has no row S99; it has S12, S13"):
        published_gait(OPTIONS, ("S99",))
    assert main(["study", "published-gait", "--rows", "S99"]) != 0
    assert "The table has no row S99" in capsys.readouterr().err


def test_the_command_prints_and_writes_the_table(capsys, tmp_path):
    assert main(["study", "published-gait", "--rows", "S14", "--stretch", "0.01", "--out", str(tmp_path)]) == 0
    assert "computed torque: completed" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"published_gait.csv", "published_gait.json"}
