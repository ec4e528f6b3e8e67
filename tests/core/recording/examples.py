"""Recordings made up for tests: every part of a trial filled, from one seed."""

from datetime import date

import numpy as np

from biomec.base.notices import info, warning
from biomec.recording import (
    Analog,
    Authority,
    Event,
    ForcePlate,
    LabAxes,
    Markers,
    Outputs,
    Source,
    Subject,
    Trial,
)

CORNERS = np.array([[0.4, 0.6, 0.0], [0.0, 0.6, 0.0], [0.0, 0.0, 0.0], [0.4, 0.0, 0.0]])


def rotation(rng: np.random.Generator) -> np.ndarray:
    """Any rotation of the laboratory (3, 3)."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def full_trial(frames: int = 40, rate_hz: float = 100.0, seed: int = 1) -> Trial:
    """A Z-up trial in which no part is empty, with gaps, and with a NaN and a negative zero among the samples."""
    rng = np.random.default_rng(seed)
    p_WM = rng.normal(size=(frames, 3, 3))
    p_WM[3:6, 1] = np.nan
    p_WM[0, 0, 0] = -0.0
    force = rng.normal(scale=20.0, size=(frames * 10, 3)) + np.array([0.0, 0.0, 500.0])
    force[7] = np.nan
    plate = ForcePlate(
        "Plate 1",
        force,
        rng.normal(size=(frames * 10, 3)),
        10 * rate_hz,
        CORNERS.mean(axis=0),
        np.array([0.0, 0.0, 1.0]),
        CORNERS,
        2,
    )
    return Trial(
        Source("20150408_Arthur_Aberto1.emt", "EMT", "ab" * 32, 12345),
        Markers(("C7", "IJ", "GU_D"), p_WM, rate_hz, np.abs(rng.normal(size=(frames, 3)))),
        LabAxes("+z", "-y", Authority.FILE, Authority.EVIDENCE),
        subject=Subject("Arthur", "male", 71.5, 1.78, date(1990, 2, 28)),
        recorded=date(2015, 4, 8),
        unlabelled=Markers(("*1", "*2"), rng.normal(size=(frames, 2, 3)), rate_hz),
        other_subjects={"Beatriz": Markers(("C7",), rng.normal(size=(frames, 1, 3)), rate_hz)},
        outputs=Outputs(("LKneeAngles",), ("ANGLES",), ("deg",), rng.normal(size=(frames, 1, 3)), rate_hz),
        plates=(plate,),
        analog=Analog(("Trigger",), rng.normal(size=(frames * 10, 1)), ("V",), 10 * rate_hz),
        emg=Analog(("Bíceps",), rng.normal(size=(frames * 20 + 7, 1)), ("V",), 20 * rate_hz, -0.05),
        events=(Event(0.11, "Foot Strike", "Right"), Event(0.05, "Foot Off", "Left")),
        first_frame=11,
        notices=(info("unit-assumed", "µ"), warning("gap", "Marker IJ is hidden.", "IJ", frames=(3, 5))),
    )
