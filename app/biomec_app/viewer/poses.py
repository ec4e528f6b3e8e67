"""Where everything of a recording is in a frame: the body as measured and as made consistent, and the markers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import SimulationRun
from biomec.recording import BIOMEC_AXES, Trial
from biomec.recording.marker_set import MarkerSet
from biomec_app.session.view_options import CONSISTENT, RAW

TRAVELLED = 0.7  # m


@dataclass(frozen=True, eq=False)
class ScenePose:
    """The body at one moment; NaN where it is not known.

    origins, attitudes : (S, 3) and (S, 3, 3) of the segments
    points             : (P, 3) of `Poses.names`
    """

    origins: FloatArray
    attitudes: FloatArray
    points: FloatArray


class _Maps:
    """Points and axes of all segments as one matrix: x = A q + a."""

    def __init__(self, analysis: Analysis) -> None:
        body = analysis.body.person
        layout = body.system.layout
        self.names = tuple(f"{rigid.name}.{point}" for rigid in body.system.bodies for point in rigid.points)
        self.segments = tuple(layout.bodies)
        maps = [layout.point(name) for name in self.names]
        maps += [layout.point(f"{segment}.origin") for segment in self.segments]
        maps += [layout.local_vector(segment, axis) for segment in self.segments for axis in np.eye(3)]
        self._matrix = scipy.sparse.csr_array(np.concatenate([one.dense(layout.n) for one in maps]))
        self._constant = np.concatenate([one.constant for one in maps])
        self._used = np.zeros((len(self.segments), layout.n), dtype=bool)
        for s, segment in enumerate(self.segments):
            self._used[s, layout.columns(segment)] = True

    def pose(self, q: FloatArray) -> ScenePose:
        """Pose of coordinates (n,); segments whose coordinates are not all known are NaN."""
        absent = np.isnan(q)
        x = (self._matrix @ np.where(absent, 0.0, q) + self._constant).reshape(-1, 3)
        count, segments = len(self.names), len(self.segments)
        points, origins = x[:count], x[count : count + segments]
        attitudes = x[count + segments :].reshape(segments, 3, 3).transpose(0, 2, 1).copy()
        if absent.any():
            unknown = np.asarray((self._used & absent).any(axis=1))
            lost = {segment for segment, gone in zip(self.segments, unknown, strict=True) if gone}
            points[[name.partition(".")[0] in lost for name in self.names]] = np.nan
            origins[unknown], attitudes[unknown] = np.nan, np.nan
        return ScenePose(origins, attitudes, points)


class ScenePoses:
    """All moments of a recording, as far as it is analysed.

    trial      : the movement in Biomec's axes, repaired and filtered if that was done; its markers and plates
    names      : ``segment.point`` of everything that is fixed in segments; empty without a model
    kinds      : which bodies there are: `RAW`, `CONSISTENT`
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.trial = _trial(analysis)
        self.markers, self.plates = self.trial.markers, self.trial.plates
        self.marker_set: MarkerSet | None = analysis.preparation.marker_set if "preparation" in analysis.done else None
        self.frames, self.rate_hz = self.markers.frames, self.markers.rate_hz
        self.kinds: tuple[str, ...] = ()
        self.names: tuple[str, ...] = ()
        self.segments: tuple[str, ...] = ()
        self._q: dict[str, FloatArray] = {}
        self.valid: BoolArray | None = None
        if "body" not in analysis.done or len(next(iter(analysis.body.points.values()))) != self.frames:
            return
        self.body = analysis.body.person
        self._maps = _Maps(analysis)
        self.names, self.segments = self._maps.names, self._maps.segments
        measured = analysis.body.points
        self._measured = [
            (k, measured[p]) for k, name in enumerate(self.names) if (p := name.partition(".")[2]) in measured
        ]
        self._columns = np.array([k for k, _ in self._measured], dtype=np.int64)
        self._paths = np.stack([path for _, path in self._measured], axis=1)
        if "positions" in analysis.done and analysis.positions.frames == self.frames:
            positions = analysis.positions
            moving = (
                analysis.motion if analysis.is_current("motion") else positions
            )  # with devices where cuffs hold them
            self._q = {RAW: positions.q_star, CONSISTENT: moving.q}
            self.valid = positions.valid
        else:
            absent = np.full((self.frames, 3), np.nan)
            needed = [n for s in self.body.segments for n in (*self.body.frames[s.name].landmarks, *s.basic_points)]
            self._q = {RAW: self.body.measured_coordinates({**dict.fromkeys(needed, absent), **measured})}
        self.kinds = tuple(self._q)

    @property
    def has_body(self) -> bool:
        """Whether there is a model."""
        return bool(self.kinds)

    def pose(self, kind: str, frame: int) -> ScenePose:
        """The body in a frame, `RAW` or `CONSISTENT`."""
        pose = self._maps.pose(self._q[kind][frame])
        if kind == RAW:
            pose.points[self._columns] = self._paths[frame]
        return pose

    def simulated(self, run: SimulationRun, frame: int) -> ScenePose | None:
        """The body in a frame of a simulation; None where it does not reach."""
        row = frame - run.first
        if not 0 <= row < len(run.q) or run.q.shape[1] != self.body.system.layout.n:
            return None
        return self._maps.pose(run.q[row])

    def static(self) -> ScenePose:
        """The body in the static pose."""
        return self._maps.pose(self.body.system.reference)

    def static_markers(self) -> FloatArray:
        """(M, 3) markers of the movement as the static shows them; NaN for those it does not show."""
        if "signals" not in self.analysis.done:
            return np.full((len(self.markers.names), 3), np.nan)
        pose = self.analysis.signals.static
        return np.array([pose[n] if n in pose else np.full(3, np.nan) for n in self.markers.names]).reshape(-1, 3)

    def is_solved(self, frame: int) -> bool:
        """Whether the frame obeys the model; True before that was asked of it."""
        return self.valid is None or bool(self.valid[frame])

    def path(self, name: str, kind: str) -> FloatArray:
        """(T, 3) way of a point ``segment.point`` or of a marker through the whole recording."""
        if name in self.markers.names:
            return self.markers[name]
        k = self.names.index(name)
        kind = kind if kind in self._q else self.kinds[-1]
        if kind == RAW and k in self._columns:
            return self._paths[:, int(np.flatnonzero(self._columns == k)[0])]
        return np.asarray(self.body.system.layout.point(name)(self._q[kind]))

    def extent(self) -> FloatArray:
        """(K, 3) places that the recording reaches: every marker in some forty frames."""
        some = np.unique(np.linspace(0, self.frames - 1, 40).astype(int))
        places = self.markers.p_WM[some].reshape(-1, 3)
        places = places[np.isfinite(places).all(axis=1)]
        return places if len(places) else np.array([[-0.5, 0.0, -0.5], [0.5, 1.8, 0.5]])

    def heading(self) -> FloatArray:
        """(3,) horizontal direction that the person faces, or that the head points to if the person lies."""
        if not self.has_body:
            return np.array([1.0, 0.0, 0.0])
        root = next((k for k, name in enumerate(self.segments) if name in ("thorax", "pelvis")), 0)
        for axis in (0, 1):
            seen = [self.pose(RAW, int(f)).attitudes[root, :, axis] for f in np.linspace(0, self.frames - 1, 15)]
            mean = np.nanmean(seen, axis=0) if np.isfinite(seen).any() else np.zeros(3)
            if np.hypot(mean[0], mean[2]) > 0.5:
                flat = np.array([mean[0], 0.0, mean[2]])
                return np.asarray(flat / np.linalg.norm(flat))
        return np.array([1.0, 0.0, 0.0])

    def travels(self) -> bool:
        """Whether the person goes farther than a body's length over the floor, as in walking."""
        markers = self.markers.p_WM[[0, self.frames // 2, -1]][..., [0, 2]]
        gone = np.linalg.norm(markers - markers[0], axis=2)
        return bool((gone > TRAVELLED).sum(axis=1).max() > 0.5 * markers.shape[1])

    def floor(self) -> float:
        """Height of the plates, or of the lowest marker [m]."""
        corners = [p.corners for p in self.plates if p.corners is not None]
        if corners:
            return float(np.median(np.concatenate(corners)[:, 1]))
        if self.plates:
            return float(np.median([plate.origin[1] for plate in self.plates]))
        return float(np.percentile(self.extent()[:, 1], 0.5)) - 0.02


def _trial(analysis: Analysis) -> Trial:
    """The movement in Biomec's axes, as far as it was worked on."""
    if "signals" in analysis.done:
        return analysis.signals.trial
    if "preparation" in analysis.done:
        return analysis.preparation.dynamic
    return analysis.session.dynamic.turned(BIOMEC_AXES)
