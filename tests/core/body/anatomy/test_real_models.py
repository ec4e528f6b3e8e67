"""Models of real people: what the shipped models make of recordings by others."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.landmarks import trajectories
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.engine.position import PositionSolver
from biomec.engine.structure import structure
from biomec.io.c3d import read_c3d
from biomec.io.marker_set_file import load_marker_set
from biomec.io.trc import read_trc
from biomec.recording import BIOMEC_AXES, LabAxes, LabelMap, Subject, Trial
from biomec.signals.mapping import apply_mapping
from biomec.signals.static_pose import static_pose
from tests.real_data import recording


def built(static: Trial, marker_set: str, model: str, subject: Subject | None = None) -> SubjectModel:
    markers = load_marker_set(marker_set)
    pose = static_pose(static.turned(BIOMEC_AXES), markers)
    places = {name: pose[name] for name in pose.names}
    return build_subject_model(load_model(model), places, markers, subject or static.subject)


def child() -> Trial:
    trial = read_c3d(recording("gait_pig_pair", "HC030A01.c3d"))
    return replace(trial, axes=LabAxes("+z", "-y"))  # the way she faces in the static


def test_the_gait_child_has_15_segments_of_her_size_and_mass():
    body = built(child(), "plug-in-gait", "plug-in-gait")
    counts = structure(body.system)
    assert (counts.coordinates, counts.rows, counts.degrees_of_freedom) == (180, 132, 48)
    assert counts.residual < 1e-12
    assert not body.left_out
    assert sum(part.mass for part in body.system.bodies) == pytest.approx(45.8, rel=1e-12)
    p = body.static
    # lengths of the bones that Plug-in Gait stored in the same file [m]
    stored = {"CAQ_D KJC_D": 0.354465, "CAQ_E KJC_E": 0.352333, "KJC_D CAT_D": 0.378124, "KJC_E CAT_E": 0.378912}
    for ends, length in stored.items():
        a, b = ends.split()
        assert np.linalg.norm(p[a] - p[b]) == pytest.approx(length, abs=0.001)  # it took one frame, this is their mean
    for name, R in body.attitudes(body.system.reference).items():
        if not any(word in name for word in ("humerus", "forearm", "hand")):
            # upright and facing forward, the right foot turned out by 31°
            assert (np.diag(R) > np.cos(np.radians(40.0))).all(), name


def test_legs_need_medial_markers_and_name_the_model_that_does_not():
    with pytest.raises(BiomecError) as refused:
        built(child(), "plug-in-gait", "legs")
    for words in (
        "of its 7 segments only 1 can be followed (pelvis)",
        "The static pose lacks medial femoral condyle, right (marker RKNM)",
        "The model plug-in-gait would keep 15",
    ):
        assert words in str(refused.value)


def test_the_walker_of_opensim_has_legs_of_plausible_size():
    static = read_trc(recording("gait_opensim2354", "subject01_static.trc"))
    body = built(static, "opensim-gait2354", "legs", Subject("subject01", "male", 72.6, 1.803))
    assert not body.left_out
    assert structure(body.system).degrees_of_freedom == 18
    p = body.static
    for side in "DE":  # [Dumas2007] by stature: thigh 0.432, shank 0.433 of 1.77 m
        assert np.linalg.norm(p[f"CAQ_{side}"] - p[f"KJC_{side}"]) == pytest.approx(0.432 * 1.803 / 1.77, rel=0.08)
        assert np.linalg.norm(p[f"KJC_{side}"] - p[f"PMM_{side}"]) == pytest.approx(0.433 * 1.803 / 1.77, rel=0.08)


def test_a_shoulder_with_clavicle_obeys_the_girdle_in_every_frame():
    """Labels of this laboratory go by their place: its SCAP_AA is the root of the spine, its SCAP_BACK the angle."""
    trial = read_c3d(recording("shoulder_scapula", "scapula_clavicle_markers.c3d"))
    places = {
        "MAN": "IJ", "XYP": "PX", "C7": "C7", "T10": "T8", "CLAV_SC": "SC", "SCAP_AC": "AC", "SCAP_BACK": "AA",
        "SCAP_AA": "TS", "SCAP_IA": "AI", "SCAP_Cor": "PC", "EPI_lat": "EL", "EPI_med": "EM",
    }  # fmt: skip
    trial = apply_mapping(trial, LabelMap("laboratory", "shoulder-isb", places))
    body = built(trial.stretch(0, 50), "shoulder-isb", "upper-limb", Subject("M", "male", 75.0, 1.75))
    assert [part.name for part in body.system.bodies] == [
        "thorax", "right clavicle", "right scapula", "right humerus",
    ]  # fmt: skip
    assert structure(body.system).degrees_of_freedom == 6 + 3 + 3
    offset = body.static["GU_D"] - body.static["AC_D"]
    assert 0.03 < np.linalg.norm(offset) < 0.09  # below and before the acromion, from markers on skin
    assert offset[1] < -0.03
    motion = body.points_in_motion(trajectories(trial.turned(BIOMEC_AXES).markers))
    solution = PositionSolver(body.system).solve(body.measured_coordinates(motion))
    assert solution.valid.all()
