"""Which marker set a recording uses, its labels in the set's words, its axes in Biomec's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.io.marker_set_file import load_marker_set, read_marker_set, shipped_marker_sets
from biomec.pipeline.settings import PreparationSettings
from biomec.recording import BIOMEC_AXES, LabAxes, Markers, Result, Session, Trial
from biomec.recording.label_map import LabelMap
from biomec.recording.marker_set import MarkerSet
from biomec.recording.step import step_result
from biomec.signals import (
    StaticPose,
    apply_mapping,
    check_trajectories,
    find_swaps,
    static_pose,
    suggest_mapping,
)
from biomec.signals.label_swaps import REPAIRABLE, repaired, repaired_static
from biomec.signals.mapping import completed

METRES = {"mm": 1e-3, "m": 1.0}
FEWEST_MARKERS = 6  # of a set; with fewer a recording does not use it
SMALLEST_SHARE = 0.3  # of the labels that a set must explain to be chosen without asking


@dataclass(frozen=True, eq=False)
class Prepared:
    """The trials of a session, ready to be worked on: labels of the marker set, X forward, Y up, Z right.

    static_is_dynamic : there was no static, so that the first complete frame of the movement stands in for it
    pose              : mean of the static by the default options; None without a static
    recorded_axes     : of the laboratory, before the trials were turned
    masked            : (T,) frames around leaps of all markers, not to be used; None where nobody looked
    """

    dynamic: Trial
    static: Trial
    static_is_dynamic: bool
    marker_set: MarkerSet
    options: PreparationSettings
    notices: tuple[Notice, ...]
    pose: StaticPose | None = None
    masked: BoolArray | None = None
    recorded_axes: LabAxes = BIOMEC_AXES

    def to_result(self) -> Result:
        """Return what a session stores; the trials themselves are there already."""
        about = {"marker_set": self.marker_set.name, "labels": self.dynamic.markers.names}
        return step_result({}, self.options, self.notices, **about)


def preparation(session: Session, settings: PreparationSettings = PreparationSettings()) -> Prepared:
    """Choose the marker set, map labels and turn the trials of a session."""
    dynamic, static = session.dynamic, session.static
    notices: list[Notice] = []
    if not dynamic.markers.names:
        raise BiomecError(f"{dynamic.source.name}: there are no markers in it, so that no motion can be computed.")
    marker_set = _marker_set(static or dynamic, settings)
    label_map = settings.label_map
    if label_map is not None and label_map.marker_set != marker_set.name:
        raise BiomecError(
            f"The mapping {label_map.name} is for the marker set {label_map.marker_set}, but {marker_set.name} is "
            f"used. Choose the marker set {label_map.marker_set} or another mapping."
        )
    dynamic = mapped(dynamic, marker_set, label_map)
    static = None if static is None else with_computed_points(mapped(static, marker_set, label_map), marker_set)
    checks = check_trajectories(dynamic)
    dynamic = checks.without_copies(dynamic)
    notices += checks.notices
    dynamic = dynamic.turned(BIOMEC_AXES)
    static = None if static is None else static.turned(BIOMEC_AXES)
    pose = None if static is None else static_pose(static, marker_set)
    swaps = find_swaps(dynamic, marker_set, pose)
    notices += [one for one in swaps.notices if not (settings.repair_swaps and one.code in REPAIRABLE)]
    if settings.repair_swaps:
        mended = repaired(dynamic, swaps)
        notices += mended.notices[len(dynamic.notices) :]
        dynamic = mended
        if static is not None:
            mended = repaired_static(static, swaps)
            notices += mended.notices[len(static.notices) :]
            static = mended
            pose = static_pose(static, marker_set)
    absent = static is None
    if static is None:
        static, notice = _static_from(dynamic, marker_set)
        notices.append(notice)
    return Prepared(dynamic, static, absent, marker_set, settings, tuple(notices), pose, checks.masked,
                    session.dynamic.axes)  # fmt: skip


def _marker_set(trial: Trial, settings: PreparationSettings) -> MarkerSet:
    """The marker set that was asked for, by itself or with a mapping, or the one that explains most labels."""
    name = settings.marker_set
    if name is None and settings.label_map is not None:
        name = settings.label_map.marker_set
    if name is not None:
        return read_marker_set(Path(name)) if name.endswith(".toml") else load_marker_set(name)
    labels = trial.markers.names
    best, fits = best_marker_set(labels)
    if not fits:
        shown = ", ".join(labels[:8]) + (" …" if len(labels) > 8 else "")
        raise BiomecError(
            f"{trial.source.name}: its labels ({shown}) fit none of the marker sets "
            f"{', '.join(shipped_marker_sets())}. Choose a marker set and a mapping of the labels, or describe "
            f"your own set (docs/marker-sets.md)."
        )
    return best


def best_marker_set(labels: Sequence[str]) -> tuple[MarkerSet, bool]:
    """Return the shipped marker set that explains most labels, and whether it explains enough of them."""
    sets = [load_marker_set(name) for name in shipped_marker_sets()]
    counts = [len(suggest_mapping(labels, candidate).accepted().targets) for candidate in sets]
    most = max(counts)
    return sets[counts.index(most)], most >= FEWEST_MARKERS and most >= SMALLEST_SHARE * len(labels)


def mapped(trial: Trial, marker_set: MarkerSet, label_map: LabelMap | None) -> Trial:
    """Return a trial with the labels of the set: by the laboratory's own mapping, else as they suggest themselves."""
    labels = trial.markers.names
    if label_map is not None:
        return apply_mapping(trial, completed(label_map, labels, marker_set))
    return apply_mapping(trial, suggest_mapping(labels, marker_set))


def with_computed_points(trial: Trial, marker_set: MarkerSet) -> Trial:
    """Return a trial whose markers hold the joint centres that another program stored with it, if the set knows them.

    C3D files keep them apart from markers, with the angles and moments of that program.
    """
    outputs, markers = trial.outputs, trial.markers
    if outputs is None or outputs.frames != markers.frames:
        return trial
    places = {}
    for marker in marker_set.markers:
        if not marker.internal or marker.name in markers:
            continue
        for label in (marker.name, *marker_set.written_aliases(marker)):
            k = outputs.names.index(label) if label in outputs.names else -1
            if k >= 0 and outputs.kinds[k] == "modelled point" and outputs.units[k] in METRES:
                value = METRES[outputs.units[k]] * outputs.values[:, k]
                places[marker.name] = np.where(value.any(axis=1, keepdims=True), value, np.nan)  # (0, 0, 0): missing
                break
    if not places:
        return trial
    p = np.concatenate([markers.p_WM, np.stack(list(places.values()), axis=1)], axis=1)
    return replace(trial, markers=Markers((*markers.names, *places), p, markers.rate_hz))


def _static_from(dynamic: Trial, marker_set: MarkerSet) -> tuple[Trial, Notice]:
    """One frame of the movement as a static, if it shows every marker that the movement shows at all."""
    wanted = [name for name in dynamic.markers.names if name in marker_set]
    if not wanted:
        raise BiomecError(f"{dynamic.source.name}: it shows no marker of the set {marker_set.name}.")
    visible = dynamic.markers.select(wanted).visible
    ever = np.asarray(visible.any(axis=0))
    complete = np.asarray(visible[:, ever].all(axis=1))
    if not complete.any():
        raise BiomecError(
            f"{dynamic.source.name}: there is no static file, and no frame of the movement shows all its markers at "
            f"once. Give the static acquisition.",
            ("static", ""),
        )
    frame = int(complete.argmax())
    static = dynamic.stretch(frame, frame)
    lacking = marker_set.lacking([name for k, name in enumerate(wanted) if ever[k]], dynamic=False)
    sentence = (
        f"There is no static file; frame {dynamic.first_frame + frame} of {dynamic.source.name} stands in for it, with "
        f"whatever error that frame has. Give the static acquisition if there is one."
    )
    if lacking:
        sentence += f" Without it {', '.join(lacking)} cannot be known."
    return replace(static, notices=()), (warning if lacking else info)("no-static", sentence)
