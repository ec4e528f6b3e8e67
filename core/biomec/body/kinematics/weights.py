"""How strongly measurements hold what they measured: weights of coordinates, or of markers in global optimisation.

A larger weight moves less. Only ratios count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import did_you_mean
from biomec.body.anatomy.subject_devices import unmarked_pieces
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.io.marker_set_file import WORDS
from biomec.recording import Markers
from biomec.recording.marker_set import SIDE, Side
from biomec.signals.gap_filling import frames_from
from biomec.signals.reconstruction import SampleOrigin

Kind = Literal["identity", "sigma-mu", "table"]
UNMARKED = 1e-6  # weight of a device that no marker shows: its measured place is the limb's, and must not move the limb
FADE_S = 0.25  # s from the nearest measured sample, over which a marker's weight falls to that of rebuilt ones


@dataclass(frozen=True)
class WeightOptions:
    """Weights of the measurements.

    kind     : "identity": all alike; "sigma-mu": σ/|μ| of every coordinate over the trial, between ``lower`` and
               ``upper``; "table": by ``segments`` and ``markers``, 1 for those that are not listed
    segments : segment -> weight above 0; a star stands for the side (``* hand``)
    markers  : marker -> weight, 0 or more. In global optimisation it is that marker's weight (times its segment's).
               Where coordinates are weighed, a segment's weight is multiplied by the mean of its markers' weights.
    rebuilt  : factor for samples that were rebuilt or interpolated, in global optimisation: they repeat what the
               measured markers say, so they count little; near measured samples they count more (`marker_weights`)
    """

    kind: Kind = setting(
        "identity", "Kind of weights", "All alike, by their variation, or by the tables below.",
        choices={"identity": "all alike", "sigma-mu": "by variation (σ/|μ|)",
        "table": "by the tables below"})  # fmt: skip
    segments: Mapping[str, float] = setting(
        factory=dict, label="Weights of segments", help="One a line: segment = weight; * hand means both sides."
    )
    markers: Mapping[str, float] = setting(
        factory=dict, label="Weights of markers", help="One a line: marker = weight; 0 leaves a marker out."
    )
    lower: float = setting(0.05, "Smallest weight", "Bound of weights by variation.", least=0.0)
    upper: float = setting(20.0, "Largest weight", "Bound of weights by variation.", least=0.0)
    rebuilt: float = setting(
        0.1, "Weight of rebuilt samples", "In global optimisation; they repeat what measured markers say.", least=0.0
    )

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise BiomecError(
                f'There are no weights of kind "{self.kind}"{did_you_mean(str(self.kind), get_args(Kind))} '
                f"Choose one of {', '.join(get_args(Kind))}."
            )
        if self.kind != "table" and (self.segments or self.markers):
            named = ", ".join([*self.segments, *self.markers])
            raise BiomecError(
                f'Weights are given for {named}, but the kind of weights is "{self.kind}", which would not use them. '
                'Choose kind = "table".'
            )
        if not 0.0 < self.lower <= self.upper < np.inf:
            raise BiomecError(f"The bounds of weights, {self.lower:g} and {self.upper:g}, must be positive and rise.")
        if not 0.0 <= self.rebuilt <= 1.0:
            raise BiomecError(f"The weight of rebuilt samples is {self.rebuilt:g}; give a number from 0 to 1.")
        for name, weight in self.segments.items():
            if not 0.0 < weight < np.inf:
                raise BiomecError(f"The weight of the segment {name} is {weight:g}; it must be above 0.")
        for name, weight in self.markers.items():
            if not 0.0 <= weight < np.inf:
                raise BiomecError(f"The weight of the marker {name} is {weight:g}; it must be 0 or more.")
        object.__setattr__(self, "segments", FrozenDict(dict(self.segments)))
        object.__setattr__(self, "markers", FrozenDict(dict(self.markers)))


def segment_weights(body: SubjectModel, options: WeightOptions) -> dict[str, float]:
    """Segment of the system -> weight by the table of segments; an exact name takes precedence over a pattern."""
    names = [segment.name for segment in body.model.segments]
    found = dict.fromkeys(body.system.layout.bodies, 1.0)
    for pattern in sorted(options.segments, key=lambda name: SIDE not in name):
        meant = [WORDS.write(pattern, side) for side in Side] if SIDE in pattern else [pattern]
        for name in meant:
            if name not in names:
                raise BiomecError(
                    f"Weights: the model {body.model.name} has no segment {name}{did_you_mean(name, names)} "
                    f"It has {', '.join(names)}."
                )
            if name in found:  # a segment that dropped out of the model needs no weight
                found[name] = float(options.segments[pattern])
    return found


def coordinate_weights(body: SubjectModel, q_star: FloatArray, options: WeightOptions) -> FloatArray:
    """W_ii (n,) of measured coordinates q* (T, n).

    "sigma-mu": W_ii = σ(q_i) / |μ(q_i)| ([Nunes2017] Eq. 2.62, with |μ|), kept between the bounds, because μ may be
    zero. It depends on where the laboratory's origin lies and gives *more* weight to coordinates that vary more; it is
    offered to repeat published results.
    """
    layout = body.system.layout
    if options.kind == "sigma-mu":
        known = np.isfinite(q_star)
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, q_star, 0.0).sum(axis=0) / count
        sigma = np.sqrt((np.where(known, q_star - mean, 0.0) ** 2).sum(axis=0) / count)
        with np.errstate(divide="ignore", invalid="ignore"):  # σ/0 goes to the upper bound, 0/0 to the lower one
            ratio = np.nan_to_num(sigma / np.abs(mean), nan=0.0, posinf=np.inf)
        weights = np.asarray(np.clip(ratio, options.lower, options.upper))
    else:
        weights = np.ones(body.system.n)
    if options.kind == "table":
        _refuse_unknown(options.markers, body.followed)
        for name, weight in segment_weights(body, options).items():
            own = [options.markers.get(marker, 1.0) for marker, owner in body.followed.items() if owner == name]
            share = float(np.mean(own)) if own else 1.0
            weights[layout.columns(name)] = weight * (share if share > 0.0 else options.lower)
    for name in unmarked_pieces(body):
        weights[layout.columns(name)] = UNMARKED
    return weights


def marker_weights(
    body: SubjectModel, markers: Markers, options: WeightOptions, origin: IntArray | None = None
) -> tuple[tuple[str, ...], FloatArray]:
    """Followed markers (K,) and their weights (T, K) in global optimisation, 0 where one is not seen.

    origin : (T, M) `SampleOrigin` of every sample, if markers were rebuilt

    Markers lie millimetres from the model. If the weight of one fell at once where it is hidden, the whole segment
    would leap within a frame, and accelerations with it. So it falls evenly, from 1 at a measured sample to ``rebuilt``
    at `FADE_S` from the nearest.
    """
    _refuse_unknown(options.markers, body.followed)
    if origin is not None and np.shape(origin) != markers.visible.shape:
        raise BiomecError(
            f"The origins of the samples have the shape {np.shape(origin)}, the markers {markers.visible.shape}; give "
            "one for each frame and marker."
        )
    by_segment = segment_weights(body, options)
    away = None if origin is None else frames_from(np.asarray(origin == SampleOrigin.MEASURED)) / markers.rate_hz
    names = tuple(name for name in markers.names if name in body.followed)
    columns = [markers.index(name) for name in names]
    each = np.array([by_segment[body.followed[name]] * options.markers.get(name, 1.0) for name in names])
    weights = each * markers.visible[:, columns]
    if away is not None:
        weights *= 1.0 - (1.0 - options.rebuilt) * np.minimum(away[:, columns] / FADE_S, 1.0)
    return names, weights


def _refuse_unknown(markers: Iterable[str], followed: Mapping[str, str]) -> None:
    for name in markers:
        if name not in followed:
            raise BiomecError(
                f"Weights: no segment of the model follows a marker {name}{did_you_mean(name, list(followed))} "
                "Check the name, or take it out of the table."
            )
