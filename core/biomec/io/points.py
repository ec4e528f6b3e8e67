"""Points of a text file as markers: missing samples, subject prefixes and unlabelled points sorted out once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.io.clock import Clock, first_frame
from biomec.io.labels import listed, sort_labels
from biomec.recording import LabAxes, Markers, Source, Subject, Trial

FAR_M = 5.0  # from the middle of all points: farther is no part of a person


@dataclass(frozen=True)
class Points:
    """Points of a file, sorted by whom they belong to."""

    markers: Markers
    unlabelled: Markers | None
    other_subjects: dict[str, Markers]
    subject: str
    notices: tuple[Notice, ...]


def sort_points(labels: Sequence[str], p_W: FloatArray, rate_hz: float, zeros_are_missing: bool = True) -> Points:
    """Markers from positions (T, P, 3) [m], NaN where missing.

    Many systems write a lost sample as exactly (0, 0, 0): such samples become missing, and a notice says so. The one
    point that is there in every frame is kept, with a notice: it is the origin of the file's axes. Several cannot be.
    Others write one number three times, such as 9999 (`_placeholders`).
    """
    notices: list[Notice] = []
    if zeros_are_missing:
        lost = _placeholders(p_W)
        if lost.any():
            notices.append(_placeholder_notice(labels, p_W, lost))
            p_W = np.where(lost[:, :, None], np.nan, p_W)
        zero = (p_W == 0.0).all(axis=2)
        if zero.any():
            always = zero.all(axis=0)
            origin = always & (always.sum() == 1) & (len(zero) > 1)
            p_W = np.where((zero & ~origin)[:, :, None], np.nan, p_W)
            notices += _zero_notices(labels, zero, origin)
    known = np.isfinite(p_W)
    partial = known.any(axis=2) & ~known.all(axis=2)
    if partial.any():
        about = [labels[k] for k in np.flatnonzero(partial.any(axis=0)).tolist()]
        notices.append(
            warning(
                "coordinates-missing",
                f"{int(partial.sum())} samples of {listed(about, 8)} lack one or two of their three coordinates; "
                "they were read as missing.",
                *about,
            )
        )
    sorted_ = sort_labels(labels)
    notices += sorted_.notices
    if sorted_.others:
        notices.append(
            info(
                "other-subjects",
                f"The file holds {len(sorted_.others) + 1} subjects; {sorted_.subject} has the most markers and was "
                f"taken as the subject, {listed(list(sorted_.others), 8)} kept apart.",
            )
        )

    def chosen(pairs: tuple[tuple[int, str], ...]) -> Markers:
        p_WM = np.take(
            p_W, np.array([k for k, _ in pairs], dtype=np.int64), axis=1
        )  # a new array, which the markers may keep
        p_WM.setflags(write=False)
        return Markers(tuple(name for _, name in pairs), p_WM, rate_hz)

    return Points(
        chosen(sorted_.markers),
        chosen(sorted_.unlabelled) if sorted_.unlabelled else None,
        {prefix: chosen(pairs) for prefix, pairs in sorted_.others.items()},
        sorted_.subject,
        tuple(notices),
    )


def trial_of_points(
    source: Source,
    points: Points,
    clock: Clock,
    number: float | None,
    notices: tuple[Notice, ...],
    axes: LabAxes = LabAxes("+y", "+x"),
) -> Trial:
    """Trial of a file that holds points and nothing else; ``number`` is what the file calls its first frame."""
    return Trial(
        source=source,
        markers=points.markers,
        axes=axes,
        subject=Subject(points.subject),
        unlabelled=points.unlabelled,
        other_subjects=points.other_subjects,
        first_frame=first_frame(clock.start_s, clock.rate_hz, number),
        notices=(*notices, *points.notices),
    )


def _placeholders(p_W: FloatArray) -> BoolArray:
    """(T, P) samples that hold one number three times where a point cannot be: a word for "lost", not a place.

    Two points are never at one place, and no point is far from all others; a point that is where its three coordinates
    happen to be equal is kept.
    """
    value = p_W[:, :, 0]
    same = (value == p_W[:, :, 1]) & (value == p_W[:, :, 2]) & (value != 0.0)
    if not same.any():
        return np.asarray(same)
    frame, point = np.nonzero(same)
    _, which = np.unique(value[same], return_inverse=True)
    of_point = np.unique(np.stack([which, point]), axis=1)[0]
    shared = (np.bincount(of_point, minlength=which.max() + 1) > 1)[which]
    places = np.where(same[:, :, None], np.nan, p_W)
    places = places[np.isfinite(places).all(axis=2)]
    middle = np.median(places, axis=0) if len(places) else np.zeros(3)
    far = np.linalg.norm(p_W[same] - middle, axis=1) > FAR_M
    lost = np.zeros(same.shape, dtype=np.bool_)
    lost[frame, point] = shared | far
    return lost


def _placeholder_notice(labels: Sequence[str], p_W: FloatArray, lost: BoolArray) -> Notice:
    about = [labels[k] for k in np.flatnonzero(lost.any(axis=0)).tolist()]
    frames, numbers = np.flatnonzero(lost.any(axis=1)), np.unique(p_W[lost][:, 0])
    example = f"such as {numbers[0]:g} m" if len(numbers) > 1 else f"{numbers[0]:g} m"
    return warning(
        "placeholders-are-missing",
        f"{int(lost.sum())} samples of {listed(about, 8)} have the same number in all three coordinates ({example}), "
        "where no point of a person is. They were read as missing.",
        *about,
        frames=(int(frames[0]), int(frames[-1])),
    )


def _zero_notices(labels: Sequence[str], zero: BoolArray, origin: BoolArray) -> list[Notice]:
    always = zero.all(axis=0)
    notices = []
    if always.any():
        about = [labels[k] for k in np.flatnonzero(always).tolist()]
        words = f"{listed(about, 8)} {'lies' if len(about) == 1 else 'lie'} at exactly (0, 0, 0) in every frame and "
        words += (
            "was kept, as the origin of the file's axes. If that point was never seen, do not use it."
            if origin.any()
            else "was read as missing. If that is where it was, read the file again with zeros kept."
            if len(about) == 1
            else "were read as missing. If that is where they were, read the file again with zeros kept."
        )
        notices.append(warning("zero-in-every-frame", words, *about))
    sometimes = zero.any(axis=0) & ~always
    if sometimes.any():
        about = [labels[k] for k in np.flatnonzero(sometimes).tolist()]
        frames = np.flatnonzero(zero[:, sometimes].any(axis=1))
        notices.append(
            warning(
                "zeros-are-missing",
                f"{int(zero[:, sometimes].sum())} samples of {listed(about, 8)} at exactly (0, 0, 0) were read as "
                "missing.",
                *about,
                frames=(int(frames[0]), int(frames[-1])),
            )
        )
    return notices


def all_points(trial: Trial) -> tuple[list[str], FloatArray, tuple[Notice, ...]]:
    """Labels and positions (T, P, 3) of every point of a trial, as `sort_points` takes them apart again."""
    main = f"{trial.subject.name or 'Subject'}:" if trial.other_subjects else ""
    labels = [main + name for name in trial.markers.names]
    parts = [trial.markers.p_WM]
    for prefix, markers in trial.other_subjects.items():
        labels += [f"{prefix}:{name}" for name in markers.names]
        parts.append(markers.p_WM)
    if trial.unlabelled is not None:
        labels += trial.unlabelled.names
        parts.append(trial.unlabelled.p_WM)
    p_W = np.concatenate(parts, axis=1)
    zero = (p_W == 0.0).all(axis=2)
    notices: tuple[Notice, ...] = ()
    if zero.any():
        about = [labels[k] for k in np.flatnonzero(zero.any(axis=0)).tolist()]
        notices = (
            warning(
                "zeros-written",
                f"{int(zero.sum())} samples of {listed(about, 8)} are exactly (0, 0, 0), which most programs, Biomec "
                "among them, read as missing.",
                *about,
            ),
        )
    return labels, p_W, notices
