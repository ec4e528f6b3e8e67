"""Scapular angles of a real shoulder abduction against the published solution of another model for the same file.

The published model has an ellipsoid of its own and a clavicle; its scapular markers are 6 to 23 mm (RMS) off. Figures
are properties of the tests: ``pytest -o junit_family=xunit1 --junit-xml=…``.
"""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomec.body.kinematics.joint_angles import joint_angles
from biomec.recording import LabAxes, Subject
from tests.core.body.kinematics.real_motion import Person, agreement, person
from tests.real_data import recording

STANDING = (0, 20)  # frames before the arm is raised, in place of a static
ANGLES = ("protraction", "upward rotation", "posterior tilt")


@pytest.fixture(scope="module")
def shoulder() -> Person:
    file = recording("shoulder_scapula", "ABD01.trc")
    return person(file, STANDING, "shoulder-isb", "upper-limb", Subject("A", "male", 75.0, 1.77), LabAxes("+y", "+x"))


class Published:
    """The published solution: coordinates (T,) by name [rad], and the numbers of its model that are needed here."""

    radii = np.array([0.0829975, 0.199991, 0.083001])

    def __init__(self) -> None:
        folder = recording("shoulder_scapula", "reference")
        lines = (folder / "ABD01_ik.mot").read_text("utf-8").splitlines()
        start = lines.index("endheader") + 1
        table = np.radians([[float(word) for word in line.split()] for line in lines[start + 1 :] if line.strip()])
        self.q = dict(zip(lines[start].split(), table.T, strict=True))
        model = (folder / "TSM_subject_noWeight.osim").read_text("utf-8")
        self.marker = {
            name: np.array([float(word) for word in place.split()])
            for name, place in re.findall(r'<Marker name="(\w+)">.*?<location>(.*?)</location>', model, re.DOTALL)
        }

    def scapula(self) -> tuple[np.ndarray, np.ndarray]:
        """Attitude (T, 3, 3) and place (T, 3) of the scapula in the thorax.

        A frame on the ellipsoid turns by abduction about Y and by minus elevation about X, touches where its Z is
        normal, then turns by upward rotation about Z and by winging about Y.
        """
        q = self.q
        on = Rotation.from_euler(
            "YXZ", np.stack([q["scapula_abduction"], -q["scapula_elevation"], q["scapula_upward_rot"]], axis=1)
        ).as_matrix()
        wing = Rotation.from_euler("Y", q["scapula_winging"][:, None]).as_matrix()
        thorax = Rotation.from_euler("XYZ", [0.0, -1.07, 0.0]).as_matrix()
        scapula = Rotation.from_euler("XYZ", [-0.5181, -1.1416, -0.2854]).as_matrix()
        R = thorax @ on @ wing @ scapula.T
        contact = np.array([-0.031224595304553068, -0.017655138246985499, 0.074873670018500482])
        touched = contact + (self.radii * on[:, :, 2]) @ thorax.T
        return R, touched - R @ np.array([-0.052143747840941085, -0.037628215513715965, -0.053471203903169034])

    def acromion_on_clavicle(self) -> np.ndarray:
        """Where the clavicle has the acromioclavicular joint, in the thorax (T, 3)."""
        axes = np.array([0.0153, 0.98929870, -0.14509996]), np.array([-0.99447254, 0.0, -0.10499695])
        turns = [
            Rotation.from_rotvec(np.outer(self.q[name], axis / np.linalg.norm(axis))).as_matrix()
            for name, axis in zip(("clav_prot", "clav_elev"), axes, strict=True)
        ]
        joint = np.array([0.0067122864657020035, 0.0070722686906692523, 0.027126698859144753])
        return joint + turns[0] @ turns[1] @ np.array([-0.0378874, 0.018924, 0.135987])


@pytest.fixture(scope="module")
def published() -> Published:
    return Published()


@pytest.fixture(scope="module")
def their_angles(shoulder, published):
    """Scapular angles of the published solution, by our frames on its own landmarks."""
    R, p = published.scapula()
    points = {name: np.tile(published.marker[marker], (len(R), 1)) for name, marker in
              (("IJ", "ij"), ("PTS", "centijc7"), ("PTI", "centpxt8"))}  # fmt: skip
    points["C7"] = 2.0 * points["PTS"] - points["IJ"]
    points |= {name: R @ published.marker[marker] + p for name, marker in
               (("TE_D", "ts"), ("AA_D", "aa"), ("AI_D", "ai"))}  # fmt: skip
    attitudes = {name: shoulder.body.frames[name].attitude(points) for name in ("thorax", "right scapula")}
    static = {name: attitude[0] for name, attitude in attitudes.items()}
    wanted = [angle for angle in shoulder.body.model.angles if angle.joint == "right scapulothoracic"]
    return joint_angles(attitudes, wanted, static=static)


def test_the_published_solution_is_read_rightly(published):
    """Its scapula meets its clavicle at the acromion, which only the right reading of its coordinates does."""
    R, p = published.scapula()
    gap = R @ np.array([-0.0118287, 0.000106018, -0.0145474]) + p - published.acromion_on_clavicle()
    assert np.linalg.norm(gap, axis=1).max() < 1e-5  # m; another reading of the four leaves 1e-3 or more


def test_thorax_scapula_and_humerus_are_built_from_nine_points(shoulder):
    assert [part.name for part in shoulder.body.system.bodies] == ["thorax", "right scapula", "right humerus"]
    assert (
        "right (marker SC), most dorsal point of the acromioclavicular joint, right (marker AC) are absent"
        in shoulder.body.left_out["right clavicle"]
    )
    assert len(shoulder.body.surfaces) == 2
    assert not any(name.startswith("left") for name in shoulder.body.followed.values())


@pytest.mark.parametrize("method", ["measured", "coordinates", "markers"])
def test_scapular_angles_beside_the_published_ones(shoulder, their_angles, method, record_property):
    q = shoulder.measured() if method == "measured" else shoulder.moved(method).q
    assert np.isfinite(q).all()
    ours = shoulder.angles(q)
    for angle in ANGLES:
        name = f"right scapulothoracic {angle}"
        one = agreement(ours[name], np.degrees(their_angles[name]))
        record_property(f"{method}: {angle}", str(one))
        if angle == "upward rotation":  # the large one: 60° in this movement
            assert one.r > 0.99
            assert one.rms < 5.0


def test_the_glide_leaves_scapular_angles_near_to_the_measured_ones(shoulder, record_property):
    motion = shoulder.moved()
    assert motion.valid.all()
    before, after = shoulder.angles(shoulder.measured()), shoulder.angles(motion.q)
    for angle in ANGLES:
        name = f"right scapulothoracic {angle}"
        one = agreement(after[name], np.degrees(before[name]))
        record_property(angle, str(one))
        assert one.rms < 1.0


def test_the_hanging_arm_is_not_shown_as_171_degrees_of_abduction(shoulder, record_property):
    """It hangs before and after the abduction; on its way down it passes 15° in front of gimbal lock."""
    result = shoulder.angles(shoulder.moved().q)
    start, end = slice(0, 270), slice(960, None)
    for angle, most in (("flexion", 15.0), ("abduction", 15.0), ("internal rotation", 60.0)):
        curve = np.degrees(result[f"right shoulder {angle}"])
        record_property(angle, f"{np.median(curve[start]):.1f} at the start, {np.median(curve[end]):.1f} at the end")
        assert np.abs(curve[start]).max() < most
        assert np.abs(curve[end]).max() < most
    abduction = np.degrees(result["right shoulder abduction"])
    assert abs(np.median(abduction[start]) - np.median(abduction[end])) < 5.0
    elevation = np.degrees(shoulder.angles(shoulder.moved().q, "isb")["right shoulder elevation"])
    assert abs(abduction.max() - elevation.max()) < 20.0  # the arm is raised to 152°, a little forward
    proposals = [notice for notice in result.notices if notice.code == "raised-arm"]
    assert len(proposals) == 1
