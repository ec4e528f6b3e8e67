"""The foot of our own model on Plug-in Gait markers: heel, ankle centre and toe in line gave it no roll.

On stairs and on noisy recordings its axes turned over, and dorsiflexion reached 137°. The persons here sway as one
rigid body, so that every ankle keeps the angles of the static pose.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomec.body.anatomy.landmarks import recorded_landmarks
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.body.plug_in_gait.segments import segments
from biomec.io.marker_set_file import load_marker_set
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import BIOMEC_AXES, Markers, Session, Source, Trial
from biomec.virtual import VirtualPerson
from biomec.virtual.acquisition import model_of
from biomec.virtual.wearing import worn

RATE, FRAMES, NOISE_M = 50.0, 40, 0.001
OPTIONS = AnalysisSettings(
    signals=SignalSettings(marker_filter=None, plate_filter=None), angles=AngleOptions("plug-in-gait")
)


def swaying(heel_off_line_m: float, noise_m: float = NOISE_M, **measures: float) -> Session:
    """Somebody whose heel markers lie so far below the line from toe marker to ankle centre."""
    person = VirtualPerson()
    dressed = worn(person, model_of(person), "plug-in-gait")
    subject = replace(dressed.subject, measures={**dressed.subject.measures, **measures})
    places = dict(dressed.places)
    landmarks = {key: np.asarray(p)[None] for key, p in _landmarks(places).items()}
    centres = segments(landmarks, {"marker_diameter": 0.014, **subject.measures}).centres
    for letter, side in (("R", "D"), ("L", "E")):
        ankle, toe = centres[f"CAT_{side}"][0], places[f"{letter}TOE"]
        places[f"{letter}HEE"] = ankle - 0.4 * (toe - ankle) - [0.0, heel_off_line_m, 0.0]
    names = tuple(places)
    p = np.array([places[name] for name in names])
    t = np.arange(FRAMES) / RATE
    turn = Rotation.from_rotvec(np.outer(0.2 * np.sin(2 * np.pi * t), [0.1, 1.0, 0.2])).as_matrix()
    moving = np.einsum("tij,mj->tmi", turn, p)
    moving += noise_m * np.random.default_rng(4).normal(size=moving.shape)
    still = np.repeat(p[None], 3, axis=0)
    made = [
        Trial(Source.of_bytes(name, "EMT", q.tobytes()), Markers(names, q, RATE), BIOMEC_AXES, subject)
        for name, q in (("sway.emt", np.ascontiguousarray(moving)), ("standing.emt", still))
    ]
    return Session(*made, subject=subject)


def _landmarks(places):
    return recorded_landmarks(places, load_marker_set("plug-in-gait"))


def angles_off_static(session: Session, settings: AnalysisSettings = OPTIONS):
    """Ankle angle -> largest distance from the static pose over all frames [°]."""
    found = Analysis(session, settings).run_until("angles").angles
    off = np.degrees(np.abs(found.values - found.static)).max(axis=0)
    return {name: off[k] for k, name in enumerate(found.names) if "ankle" in name}


@pytest.mark.parametrize("method", ["coordinates", "markers"])
@pytest.mark.parametrize("heel_off_line_m", [0.0, 0.003, 0.03])
def test_an_ankle_keeps_its_angles_whatever_the_place_of_the_heel(method, heel_off_line_m, record_property):
    settings = replace(OPTIONS, positions=ConsistencyOptions(method=method))
    off = angles_off_static(swaying(heel_off_line_m), settings)
    record_property("largest [°]", str(off))
    assert len(off) == 6
    # 1 mm of noise (σ) at ends 0.14 m apart is 0.6°, about an axis 0.045 m wide 1.8°; three to four times that. The fit
    # to markers takes the roll from the ankle centre if that is 10 mm or more off the line: at 30 mm, 1 mm is 2.7°
    assert max(off[name] for name in off if "dorsiflexion" in name) < 2.5
    assert max(off.values()) < (12.0 if method == "markers" else 6.0)
