"""What each trial adds to the tables of the published study that pool its people: [Nunes2017] Tables 4.6, 5.7 to 5.13.

They pool cycles and frames of everybody. A trial is therefore summed up by moments (how many, mean, sum of squared
deviations), which add without keeping the samples:

    n = n₁ + n₂      m = m₁ + n₂ δ / n      s = s₁ + s₂ + n₁ n₂ δ² / n      δ = m₂ − m₁          [ChanGolubLeVeque1983]
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError
from biomec.base.fields import CM, MICROMETRES, PERCENT
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.plain_types import UnfitError, parsed_json
from biomec.io.project import load_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import cycles_of_joint
from biomec.pipeline.reopen import open_again
from biomec.reporting.content.load_tables import shares
from biomec.reporting.statistics.angle_ranges import compare_models
from biomec.reporting.statistics.load_condition import valid_spans
from biomec.reporting.statistics.load_configurations import load_study
from biomec.reporting.statistics.method_errors import cycle_errors
from biomec.reporting.statistics.model_effort import ModelEffort
from biomec.signals.cycle_average import PERCENT_POINTS, resample_spans
from biomec.study.published_numbers import ABSOLUTE, JOINTS, KINDS, RANGES, RELATIVE, SHARES

OTHER_MODEL = "m17"
STUDIED_JOINT = "right glenohumeral"
ELBOW = "right elbow"


@dataclass(frozen=True, eq=False)
class Moments:
    """Samples summed up; mean and squares may be arrays, one entry a quantity.

    squares : sum of squared deviations from the mean
    """

    n: int
    mean: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, samples: ArrayLike) -> Moments:
        """Of samples along the first axis; those with a NaN are left out."""
        x = np.asarray(samples, dtype=np.float64)
        x = x[np.isfinite(x).all(axis=tuple(range(1, x.ndim)))]
        if not len(x):
            return cls(0, np.full(x.shape[1:], np.nan), np.zeros(x.shape[1:]))
        mean = x.mean(axis=0)
        return cls(len(x), np.asarray(mean), np.asarray(((x - mean) ** 2).sum(axis=0)))

    def __add__(self, other: Moments) -> Moments:
        if not self.n or not other.n:
            return self if self.n else other
        n = self.n + other.n
        step = other.mean - self.mean
        squares = self.squares + other.squares + self.n * other.n / n * step**2
        return Moments(n, np.asarray(self.mean + other.n / n * step), np.asarray(squares))

    @property
    def sd(self) -> FloatArray:
        """Sample standard deviation; NaN for fewer than two samples."""
        return np.asarray(np.sqrt(self.squares / (self.n - 1)) if self.n > 1 else np.full_like(self.mean, np.nan))

    @property
    def rms(self) -> FloatArray:
        """Root mean square of the samples."""
        return np.asarray(np.sqrt(self.mean**2 + self.squares / self.n) if self.n else np.full_like(self.mean, np.nan))


@dataclass(frozen=True, eq=False)
class Parts:
    """What a trial, or several pooled, says: name -> moments, and name -> largest size."""

    moments: Mapping[str, Moments]
    peaks: Mapping[str, FloatArray]

    def __add__(self, other: Parts) -> Parts:
        moments, peaks = dict(self.moments), dict(self.peaks)
        for name, one in other.moments.items():
            moments[name] = moments[name] + one if name in moments else one
        for name, peak in other.peaks.items():
            peaks[name] = np.fmax(peaks[name], peak) if name in peaks else peak
        return Parts(moments, peaks)

    def get(self, name: str) -> Moments:
        """Moments of a quantity; none at all where no trial has it."""
        return self.moments.get(name, Moments(0, np.full((), np.nan), np.zeros(())))


def pooled(parts: Iterable[Parts]) -> Parts:
    """All of them together."""
    return reduce(lambda a, b: a + b, parts, Parts({}, {}))


def parts_of(analysis: Analysis) -> Parts:
    """Of one push-up recording with loads. It is analysed by the other model, too, and prepared in five other ways."""
    spans, _ = valid_spans(analysis, "This recording")
    moments: dict[str, Moments] = {}
    peaks: dict[str, FloatArray] = {}
    _efforts(analysis, moments)
    _angles(analysis, spans, moments)
    _methods(analysis, moments)
    study = load_study(analysis, STUDIED_JOINT)
    for what, matrix in (("force", study.force_difference), ("torque", study.torque_difference)):
        for i in range(len(matrix)):
            for j in range(i + 1, len(matrix)):
                moments[f"preparation {what} {i + 1} {j + 1}"] = Moments.of([matrix[i, j]])
    _shares(analysis, moments)
    _residual(analysis, spans, moments, peaks)
    return Parts(moments, peaks)


def _efforts(analysis: Analysis, moments: dict[str, Moments]) -> None:
    """Table 4.6, over the valid frames."""
    found = compare_models(analysis, OTHER_MODEL)
    one: ModelEffort
    for one in found.efforts:
        moments[f"iterations {one.model}"] = Moments.of(one.iterations)
        moments[f"increment {one.model}"] = Moments.of(MICROMETRES * one.increment)
        moments[f"shift {one.model}"] = Moments.of(CM * one.shift)


def _angles(analysis: Analysis, spans: IntArray, moments: dict[str, Moments]) -> None:
    """Ranges of Fig. 4.23 and the curve of the elbow of Fig. 4.24, over the cycles."""
    for name in RANGES:
        values = np.degrees(analysis.angles[name])
        moments[f"range {name}"] = Moments.of([np.ptp(values[first : last + 1]) for first, last in spans])
    moments["elbow flexion"] = Moments.of(
        resample_spans(np.degrees(analysis.angles["right elbow flexion"]), spans).curves
    )


def _methods(analysis: Analysis, moments: dict[str, Moments]) -> None:
    """Tables 5.7 and 5.8, over the cycles of the right side."""
    newton, multibody = analysis.loads.newton_euler, analysis.loads.multibody
    for stem in JOINTS:
        joint = f"right {stem}"
        j = newton.index(joint)
        every = [
            (int(first), int(last))
            for cycles in cycles_of_joint(analysis, joint).values()
            for first, last in cycles.spans[cycles.valid]
        ]
        for what in ("force", "torque"):
            absolute, relative = cycle_errors(getattr(newton, what)[:, j], getattr(multibody, what)[:, j], every)
            moments[f"{what} {stem} {ABSOLUTE}"] = Moments.of(absolute)
            moments[f"{what} {stem} {RELATIVE}"] = Moments.of(PERCENT * relative)


def _shares(analysis: Analysis, moments: dict[str, Moments]) -> None:
    """Table 5.12, over the frames in which a share is not zero; and the torque across the axis of the elbow."""
    stress, counted = shares(analysis)
    for stem in SHARES:
        k = stress.index(f"right {stem}")
        for kind in KINDS:
            share = PERCENT * stress.share(kind)[:, k]
            moments[f"share {stem} {kind}"] = Moments.of(share[counted[:, k] & (share > 0.0)])
    across = stress.off_axis[:, stress.hinges.index(ELBOW)] / float(analysis.body.person.measures["mass"])
    moments["elbow off axis"] = Moments.of(1e3 * across[counted[:, stress.index(ELBOW)]])


def _residual(analysis: Analysis, spans: IntArray, moments: dict[str, Moments], peaks: dict[str, FloatArray]) -> None:
    """Table 5.13 and Fig. 5.17: frames in cycles where plates bear the whole body."""
    loads, mass = analysis.loads.multibody, float(analysis.body.person.measures["mass"])
    inside = np.zeros(loads.frames, dtype=np.bool_)
    for first, last in spans:
        inside[first : last + 1] = True
    inside &= analysis.loads.trust.residuals.counted
    for what, values in (("force", loads.residual_force), ("torque", loads.residual_torque)):
        with_size = np.hstack([values, np.linalg.norm(values, axis=1, keepdims=True)])[inside]
        moments[f"residual {what}"] = Moments.of(with_size)
        if len(with_size):
            peaks[f"residual {what}"] = np.abs(with_size).max(axis=0)
        curves = resample_spans(np.asarray(values) / mass, spans, PERCENT_POINTS).curves
        moments[f"residual {what} curves"] = Moments.of(curves)


# --------------------------------------------------------------------------------------------------------------- files


def parts_of_project(project: Path, out: Path) -> Path:
    """Open a project, find what it adds, and keep that in a file; for a process of its own."""
    parts = parts_of(open_again(load_project(project)).run_until("loads"))
    text = json.dumps({
        "moments": {name: [one.n, one.mean.tolist(), one.squares.tolist()] for name, one in parts.moments.items()},
        "peaks": {name: one.tolist() for name, one in parts.peaks.items()},
    })  # fmt: skip
    with atomic_path(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return out


def read_parts(path: Path) -> Parts:
    """What `parts_of_project` wrote."""
    try:
        stored: Any = parsed_json(whole_file(path, LONGEST_DESCRIPTION).decode("utf-8"))
        moments = {
            str(name): Moments(int(n), np.array(mean, np.float64), np.array(squares, np.float64))
            for name, (n, mean, squares) in stored["moments"].items()
        }
        return Parts(moments, {str(name): np.array(peak, np.float64) for name, peak in stored["peaks"].items()})
    except (UnfitError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BiomecError(f"{path.name} is damaged. Delete it; the same command makes it again.") from error
