"""Bodies made up for tests: the markers of a set on segments that move as rigid bodies, every one in its own way."""

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.recording import LabAxes, Markers, Source, Trial
from biomec.recording.marker_set import MarkerSet

STATURE_M = 1.75


def make_trial(names, p_WM, rate_hz=100.0, name="walk.c3d", first_frame=1, up="+y"):
    axes = LabAxes(up, "+x")
    return Trial(Source(name, "C3D", "00" * 32, 1), Markers(tuple(names), p_WM, rate_hz), axes, first_frame=first_frame)


def standing(marker_set: MarkerSet) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and positions (M, 3) [m] of a standing person, X forward, Y up, Z right."""
    placed = [marker for marker in marker_set.markers if marker.place is not None]
    return tuple(m.name for m in placed), STATURE_M * np.array([m.place for m in placed])


def static_trial(marker_set: MarkerSet, frames=20, **settings) -> Trial:
    names, p = standing(marker_set)
    return make_trial(names, np.repeat(p[None], frames, axis=0), name="static.c3d", **settings)


def moving_trial(marker_set: MarkerSet, frames=200, seed=3, **settings) -> Trial:
    """All markers, those that rebuild one another on one rigid body, turning by up to about a radian."""
    rng = np.random.default_rng(seed)
    names, p = standing(marker_set)
    moved = np.empty((frames, *p.shape))
    phase = np.linspace(0.0, 2.0 * np.pi, frames)
    for group in dict.fromkeys(marker_set[name].rebuilt_by for name in names):
        columns = [k for k, name in enumerate(names) if marker_set[name].rebuilt_by == group]
        turns, shift = rng.normal(scale=0.5, size=(2, 3)), rng.normal(scale=0.3, size=(2, 3))
        waves = np.stack([np.sin(phase), np.cos(2.0 * phase)], axis=1)  # (T, 2)
        R = Rotation.from_rotvec(waves @ turns).as_matrix()
        moved[:, columns] = np.einsum("tij,kj->tki", R, p[columns]) + (waves @ shift)[:, None, :]
    return make_trial(names, moved, **settings)


def hide(trial: Trial, name: str, first: int, last: int) -> Trial:
    """The trial with a marker hidden from one frame to another, both included."""
    p = trial.markers.p_WM.copy()
    p[first : last + 1, trial.markers.index(name)] = np.nan
    return make_trial(trial.markers.names, p, trial.rate_hz, trial.source.name, trial.first_frame, trial.axes.up)


def keep(trial: Trial, names) -> Trial:
    """The trial with these markers only."""
    chosen = trial.markers.select(names)
    return make_trial(chosen.names, chosen.p_WM, trial.rate_hz, trial.source.name, trial.first_frame, trial.axes.up)
