"""Trials for tests of file formats: any that hypothesis can think of, and one that looks like a laboratory's."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biomec.base.arrays import FloatArray
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

ON_DISK = settings(deadline=None, max_examples=60)  # how long a file takes depends on the disk, not on us
NAMES = (
    st.text(st.sampled_from("ABCxyz019_.- ãçñ測"), min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda name: bool(name) and not name.startswith("*"))
)
RATES = st.one_of(st.sampled_from([50.0, 59.94, 60.0, 100.0, 500.0, 1000.0]), st.floats(1.0, 5000.0))
REALS = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6), st.floats(-10.0, 10.0))
AXES = st.sampled_from(
    [
        LabAxes(),
        LabAxes("+z", "-x", Authority.FILE, Authority.EVIDENCE),
        LabAxes("-y", "+z", Authority.USER, Authority.USER),
    ]
)


def names(count: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(NAMES, min_size=count, max_size=count, unique=True).map(tuple)


@st.composite
def markers(draw: Any, frames: int, rate_hz: float, least: int = 0) -> Markers:
    count = draw(st.integers(least, 4))
    p = draw(arrays(np.float64, (frames, count, 3), elements=REALS))
    return Markers(draw(names(count)), places(p), rate_hz)


def places(p: FloatArray) -> FloatArray:
    """Samples (T, P, 3) without (0, 0, 0) and (9999, 9999, 9999), which mean missing in formats."""
    same = (p == p[..., :1]).all(axis=2)
    return np.where(same[..., None], [0.5, 0.25, 0.125], p)


@st.composite
def analogs(draw: Any, units: tuple[str, ...] = ("V", "deg", "N m", "")) -> Analog:
    samples, count = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    values = draw(arrays(np.float64, (samples, count), elements=REALS))
    unit = tuple(draw(st.lists(st.sampled_from(units), min_size=count, max_size=count)))
    return Analog(draw(names(count)), values, unit, draw(RATES), draw(st.sampled_from([0.0, 0.4, 12.25])))


@st.composite
def plates(draw: Any, name: str) -> ForcePlate:
    samples = draw(st.integers(1, 8))
    number = st.floats(-2000.0, 2000.0)
    force, moment = (draw(arrays(np.float64, (samples, 3), elements=number)) for _ in range(2))
    corners = draw(st.one_of(st.none(), arrays(np.float64, (4, 3), elements=st.floats(-2.0, 2.0))))
    origin = draw(arrays(np.float64, 3, elements=st.floats(-1.0, 1.0)))
    up = np.array([0.0, 1.0, 0.0])
    return ForcePlate(name, force, moment, draw(RATES), origin, up, corners, draw(st.integers(0, 7)), 0.25)


@st.composite
def trials(draw: Any, *, least_markers: int = 0) -> Trial:
    frames, rate = draw(st.integers(1, 10)), draw(RATES)
    maybe = st.booleans()
    outputs = None
    if draw(maybe):
        values = draw(arrays(np.float64, (frames, 2, 3), elements=REALS))
        outputs = Outputs(("LHipAngles", "RKneeMoment"), ("angle", "moment"), ("deg", "Nmm/kg"), values, rate)
    found = draw(markers(frames, rate, least_markers))
    if draw(maybe) and found.names:
        residual = draw(arrays(np.float64, (frames, len(found.names)), elements=st.floats(0.0, 0.01)))
        found = Markers(found.names, found.p_WM, rate, residual)
    unlabelled = None
    if draw(maybe):
        unlabelled = Markers(
            ("*1", "*2"), places(1.0 + draw(arrays(np.float64, (frames, 2, 3), elements=st.floats(0, 1)))), rate
        )
    others = {}
    if draw(maybe) and len(found.names) > 1:  # fewer than the main subject's, so that it stays the main subject
        others["Ana"] = Markers(found.names[:1], places(found.p_WM[:, :1] + 1.0), rate)
    return Trial(
        Source("walk.c3d", "C3D", "ab" * 32, 12345),
        found,
        draw(AXES),
        subject=draw(
            st.sampled_from(
                [Subject("Rui"), Subject("Rui", "male", 71.5, 1.8, date(1990, 2, 28), {"leg_length_D": 0.91})]
            )
        ),
        recorded=draw(st.sampled_from([None, date(2015, 4, 8)])),
        unlabelled=unlabelled,
        other_subjects=others,
        outputs=outputs,
        plates=tuple(draw(plates(name)) for name in draw(st.sampled_from([(), ("Pe_D",), ("Pe_D", "Mao_E")]))),
        analog=draw(st.one_of(st.none(), analogs())),
        emg=draw(st.one_of(st.none(), analogs(("V",)))),
        events=draw(st.sampled_from([(), (Event(0.1, 'Foot Strike, odd "one"', "Left"), Event(0.02, "Ação"))])),
        first_frame=draw(st.sampled_from([1, 2, 241])),
    )


def walk(frames: int = 60, rate_hz: float = 100.0) -> Trial:
    """A small trial with everything in it, the same every time."""
    rng = np.random.default_rng(3)
    t = np.arange(frames) / rate_hz
    p = 1.0 + 0.1 * np.sin(2 * np.pi * t)[:, None, None] + rng.normal(scale=0.2, size=(1, 5, 3))
    p[10:14, 2] = np.nan
    force = np.zeros((10 * frames, 3))
    force[100:400, 1] = 700.0
    force[100:400, 0] = 35.0
    cop = np.where(force[:, 1:2] > 0.0, [0.3, 0.0, 0.1], np.nan)
    free = np.where(force[:, 1:2] > 0.0, [0.0, 4.0, 0.0], 0.0)
    up = np.array([0.0, 1.0, 0.0])
    made = [ForcePlate.from_centre_of_pressure(name, force, cop, free, 10 * rate_hz, up) for name in ("Pe_D", "Pe_E")]
    emg = Analog(("Biceps", "Triceps"), 1e-4 * rng.normal(size=(10 * frames, 2)), ("V", "V"), 10 * rate_hz)
    return Trial(
        Source("20150408_Rui_Andar1.emt", "EMT", "00" * 32, 1),
        Markers(("C7", "IJ", "R.ASIS", "GU_D", "GU_E"), p, rate_hz),
        LabAxes(),
        plates=tuple(made),
        emg=emg,
        events=(Event(0.1, "Foot Strike", "Right"),),
    )


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """True if the arrays are equal bit for bit, NaN where NaN."""
    return np.array_equal(a, b, equal_nan=True)
