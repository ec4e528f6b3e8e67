"""Which way is up and forward in a laboratory, by everything that the recording shows.

Every observation is a clue: a direction, a sentence, and a weight for the axis and for the sign. Gravity and the floor
weigh most, then the shape and labels of the body; the header of the file is a hint that any two observations outvote.

    observation                                    axis   sign   why
    force on loaded plates                         4      1      it is weight; its sign is a convention of the file
    the body is on one side of a loaded plate      4      4      nobody is inside the floor
    surface of plates that nobody loads            2      1      plates are level; the order of corners says which side
    head and shoulders away from the feet          2      2      people are hardly ever upside down
    points at rest while the body travels          1.5    1.5    they are feet
    tall, narrow body that begins at height 0      1.5    1.25   the floor is where most laboratories have height 0
    other evidence, such as the static             2.5    2.5
    header of the file; usual axes of the format   1; 0.5 1; 0.5 a hint for displays
    a positive axis                                -      0.75   hardly any laboratory points an axis down
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.io.marker_set_file import load_marker_set, shipped_marker_sets
from biomec.io.plate_evidence import sign_doubt
from biomec.io.unit_evidence import QUIET, marker_boxes
from biomec.recording import Authority, ForcePlate, LabAxes, Markers, Trial

ALONG = 0.85  # cosine: a direction within about 30° of an axis speaks for that axis
PUSHED_N = 50.0  # mean force below which a plate says nothing about gravity
ONE_SIDE = 0.7  # share of the markers above a plate; on stairs a foot may be below the plate of the other
FLOOR_M = (-0.10, 0.25)  # where the lowest marker of somebody who stands on the floor is
UPRIGHT_M = 0.7  # least height of upper over lower markers
WALKED_M = 1.0  # least way that counts as walking
TRAVELS_MPS = 0.4  # least speed of the body at which a foot at rest stands out
REST_S = 0.05  # speeds are taken over this time, so that noise does not make them
HINTS = {Authority.ASSUMED: 0.5, Authority.FILE: 1.0, Authority.EVIDENCE: 2.5}
POSITIVE = 0.75

# Labels that no shipped marker set knows: compared in lower case, without accents, side letters and separators.
Landmark = tuple[re.Pattern[str], Callable[[FloatArray], bool]]
UPPER: Landmark = (
    re.compile(r"head|cabeca|vertex|[fb]hd$|^hd$|^vc$|^glab|^c7$|acrom|^clav$|^sho$|should|ombro|offset$|^ij$|^sjn$"),
    lambda place: bool(place[1] >= 0.78),
)
TOES: Landmark = (
    re.compile(r"toe|^mt[1-5]?$|^mt[1-5]h|metatars|hallux|^hlx$|dedo"),
    lambda place: bool(place[1] <= 0.05 and place[0] >= 0.04),
)
HEELS: Landmark = (
    re.compile(r"hee|calc|calcan|^ca$|^fcc$"),
    lambda place: bool(place[1] <= 0.05 and place[0] <= -0.05),
)
FRONT: Landmark = (re.compile(r"asi|^cias|^eias"), lambda place: bool(0.5 < place[1] < 0.6 and place[0] >= 0.04))
BACK: Landmark = (
    re.compile(r"psi|sacr|^pmcp|^eips|^cips"),
    lambda place: bool(0.55 < place[1] < 0.6 and place[0] <= -0.06),
)


@dataclass(frozen=True)
class Clue:
    """A direction that an observation speaks for, the observation in words, and what it weighs.

    axis, sign : weight for the axis, whichever way it points, and for its sign
    """

    direction: str
    reason: str
    axis: float = 0.0
    sign: float = 0.0


@QUIET
def examine_axes(trial: Trial) -> tuple[LabAxes, tuple[Notice, ...]]:
    """Return the axes that the evidence speaks for, and notices about what was changed or contradicts it.

    The user's word is never changed.
    """
    axes, notices = _examine_up(trial)
    clue = _forward(trial.markers, axes)
    if clue is not None and axes.forward_authority is Authority.ASSUMED:
        if clue.direction != axes.forward:
            notices.append(info("forward-by-evidence", f"Forward is {clue.direction}: {clue.reason}."))
        axes = replace(axes, forward=clue.direction, forward_authority=Authority.EVIDENCE)
    elif clue is not None and clue.direction != axes.forward:
        notices.append(
            warning(
                "forward-contradicted",
                f"{_who(axes.forward_authority)} says that forward is {axes.forward}, but {clue.reason}.",
            )
        )
    return axes, tuple(notices)


def up_from(axes: LabAxes, up: str, authority: Authority) -> LabAxes:
    """Return the axes with another up; forward stays unless it would now be along it."""
    forward = axes.forward if axes.forward[1] != up[1] else "+x" if up[1] != "x" else "+y"
    return replace(axes, up=up, forward=forward, authority=authority)


def _who(authority: Authority) -> str:
    return {Authority.FILE: "The file", Authority.USER: "The user"}.get(authority, "Other evidence")


# ----------------------------------------------------------------------------------------------------------------- up
def _examine_up(trial: Trial) -> tuple[LabAxes, list[Notice]]:
    axes = trial.axes
    pushed, posture = _force(trial), _posture(trial.markers)
    clues = [clue for clue in (pushed, *_surfaces(trial), _resting(trial.markers), _box(trial.markers)) if clue]
    clues += _upright(trial, posture)
    up, reason = _verdict(clues, axes, trial.markers)
    notices: list[Notice] = []
    if reason and axes.authority is Authority.USER:
        if up != axes.up:
            words = f"The user says that up is {axes.up}, but {reason}. Nothing was changed; check it."
            notices.append(warning("up-contradicted", words))
            up = axes.up
    elif reason and up != axes.up:
        if axes.authority is Authority.ASSUMED:
            notices.append(info("up-by-evidence", f"Up is {up}: {reason}. The file does not say it."))
        else:
            words = f"{_who(axes.authority)} says that up is {axes.up}, but {reason}; up was taken as {up}."
            words += " If that is wrong, choose the axes at the import (--axes)."
            notices.append(warning("up-contradicted", words))
        axes = up_from(axes, up, Authority.EVIDENCE)
    elif reason and axes.authority is Authority.ASSUMED:
        axes = replace(axes, authority=Authority.EVIDENCE)
    if pushed is not None and pushed.sign and _opposite(pushed.direction, axes.up):
        known = next((clue.reason for clue in clues if clue.direction == axes.up), f"up is taken as {axes.up}")
        notices.append(sign_doubt(trial, pushed.reason, known))
    return axes, [*notices, *_about_posture(trial, axes, posture, reason)]


def _verdict(clues: list[Clue], axes: LabAxes, markers: Markers) -> tuple[str, str]:
    """Up, and the observation that speaks for it most; "" where only the file or custom does."""
    hint = HINTS.get(axes.authority, 0.0)
    weight = {axis: sum(clue.axis for clue in clues if clue.direction[1] == axis) for axis in "xyz"}
    weight[axes.up[1]] += hint
    axis = max("xyz", key=lambda name: (weight[name], name == axes.up[1]))
    along = [clue for clue in clues if clue.direction[1] == axis]
    on_floor = [sign + axis for sign in "+-" if _on_floor(markers, sign + axis)]
    if len(on_floor) == 1:
        words = f"the lowest markers are at height 0 if up is {on_floor[0]}"
        known = next((clue.reason for clue in along if clue.reason), "")
        along += [Clue(on_floor[0], f"{words}, and {known}" if known else "", sign=1.25)]
    votes = {sign: sum(clue.sign for clue in along if clue.direction[0] == sign) for sign in "+-"}
    votes["+"] += POSITIVE
    if axes.up[1] == axis:
        votes[axes.up[0]] += hint
    sign = axes.up[0] if axes.up[1] == axis and votes["+"] == votes["-"] else max("+-", key=lambda name: votes[name])
    speaking = [clue for clue in along if clue.direction[0] == sign or not clue.sign]
    if not speaking and axis != axes.up[1]:
        speaking = along
    return sign + axis, max(speaking, key=lambda clue: clue.axis + clue.sign).reason if speaking else ""


def _axis_of(vector: FloatArray, least: float = ALONG) -> str | None:
    """Name of the axis that a vector (3,) points along, or None if it points between axes."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        return None
    k = int(np.argmax(np.abs(vector)))
    return None if abs(vector[k]) < least * length else ("+" if vector[k] > 0.0 else "-") + "xyz"[k]


def _opposite(one: str, other: str) -> bool:
    return one[1] == other[1] and one[0] != other[0]


def _force(trial: Trial) -> Clue | None:
    """Where the plates push. A plate with corners has its sign by them, so that it says no more than these."""
    total, size, samples, tables = np.zeros(3), np.zeros(3), 0, False
    for plate in trial.plates:
        force = plate.force[np.linalg.norm(plate.force, axis=1) > PUSHED_N]  # NaN is not
        total += force.sum(axis=0)
        size += np.abs(force).sum(axis=0)
        samples += len(force)
        tables |= plate.corners is None and bool(len(force))
    axis = _axis_of(size) if samples >= 10 else None
    if axis is None:
        return None
    along = total["xyz".index(axis[1])]
    direction = ("-" if along < 0.0 else "+") + axis[1]
    words = f"the plates push the subject along {direction} ({abs(along) / samples:.0f} N)"
    return Clue(direction, words, 4.0, 1.0 if tables else 0.0)


def _surfaces(trial: Trial) -> list[Clue]:
    """On which side of its surface each plate has the body, and which side its corners call the upper one."""
    found = []
    for plate in trial.plates:
        direction = None if plate.corners is None else _axis_of(plate.up)
        if direction is None:
            continue
        found.append(Clue(direction, f"the corners of {plate.name} make {direction} its upper side", 2.0, 1.0))
        above = _share_above(trial.markers, plate)
        if above is not None and max(above, 1.0 - above) >= ONE_SIDE:
            side = direction if above > 0.5 else ("-" if direction[0] == "+" else "+") + direction[1]
            words = f"the body is on the {side} side of {plate.name} while that is loaded"
            found.append(Clue(side, words, 4.0, 4.0))
    strongest = {(clue.direction, clue.sign): clue for clue in reversed(found)}  # many plates are still one floor
    return list(strongest.values())


def _share_above(markers: Markers, plate: ForcePlate) -> float | None:
    """Share of the markers on the upper side of a plate while it is loaded; None if that says nothing."""
    loaded = plate.time_s[np.linalg.norm(plate.force, axis=1) > PUSHED_N]
    frames = np.unique(np.round(loaded * markers.rate_hz).astype(np.int64)) if len(loaded) else np.zeros(0, np.int64)
    frames = frames[(frames >= 0) & (frames < markers.frames)]
    p = markers.p_WM[frames].reshape(-1, 3)
    p = p[np.isfinite(p).all(axis=1)]
    if len(p) < 30 or len(frames) < 10:
        return None
    return float(((p - plate.origin) @ plate.up > 0.0).mean())


def _posture(markers: Markers) -> tuple[FloatArray, str] | None:
    """Median way (3,) from the feet to head and shoulders [m] and its axis; None if it is short or unknown."""
    upper, lower = middle_of(markers, UPPER), middle_of(markers, TOES, HEELS)
    if upper is None or lower is None:
        return None
    apart = upper - lower
    apart = apart[np.isfinite(apart).all(axis=1)]
    if not len(apart):
        return None
    way = np.asarray(np.median(apart, axis=0))
    direction = _axis_of(way)
    return None if direction is None or np.linalg.norm(way) < UPRIGHT_M else (way, direction)


def _upright(trial: Trial, posture: tuple[FloatArray, str] | None) -> list[Clue]:
    """Head and shoulders above the feet; on another axis than is known only if the feet are on the floor there.

    Somebody who lies on the floor that the file states keeps that floor: the file then gets the weight of height 0.
    """
    if posture is None:
        return []
    way, direction = posture
    same = direction[1] == trial.axes.up[1]
    if not same and not _on_floor(trial.markers, direction):
        return []
    words = f"head and shoulders are {np.linalg.norm(way):.1f} m from the feet along {direction}"
    clues = [Clue(direction, words, 2.0, 2.0)]
    if not same and trial.axes.authority is Authority.FILE and _on_floor(trial.markers, trial.axes.up):
        clues.append(Clue(trial.axes.up, "", 1.25))
    return clues


def _about_posture(trial: Trial, axes: LabAxes, posture: tuple[FloatArray, str] | None, reason: str) -> list[Notice]:
    """Say that somebody is upside down, or lies where nothing but the file or custom says what is up."""
    if posture is None or posture[1] == axes.up:
        return []
    way, direction = posture
    apart = f"{trial.source.name}: head and shoulders are {np.linalg.norm(way):.1f} m"
    if _opposite(direction, axes.up):
        words = (
            f"{apart} below the feet, as {reason or f'up is taken as {axes.up}'}. If the subject was not upside down,"
        )
        return [
            warning(
                "posture-doubtful",
                f"{words} correct the labels, or choose up = {direction} at the import (--axes {direction}).",
            )
        ]
    if reason or axes.authority in (Authority.USER, Authority.EVIDENCE):
        return []
    words = (
        f"{apart} beside the feet, so that the subject lies or does push-ups if up is {axes.up}. If the subject stood,"
    )
    return [info("posture-doubtful", f"{words} choose up = {direction} at the import (--axes {direction}).")]


def _resting(markers: Markers) -> Clue | None:
    """Points that rest while the body travels are feet, at its lower end, whatever their labels."""
    step = max(1, round(REST_S * markers.rate_hz))
    if markers.frames <= 2 * step or not np.isfinite(markers.rate_hz):
        return None
    stride = max(1, (markers.frames - step) // 300)
    here, there = markers.p_WM[:-step:stride], markers.p_WM[step::stride]
    here, there = here[: len(there)], there[: len(here)]
    speed = np.linalg.norm(there - here, axis=2) * markers.rate_hz / step  # (T', M)
    seen = np.isfinite(speed)
    frames = seen.sum(axis=1) >= 6
    if frames.sum() < 10:
        return None
    here, speed, seen = here[frames], speed[frames], seen[frames]
    typical = float(np.median(np.nanmedian(speed, axis=1)))
    if not typical > TRAVELS_MPS:
        return None
    for axis, name in enumerate("xyz"):
        height = np.where(seen, here[:, :, axis], np.nan)
        low, high = np.nanmin(height, axis=1, keepdims=True), np.nanmax(height, axis=1, keepdims=True)
        if np.median(high - low) < UPRIGHT_M:
            continue
        place = (height - low) / (high - low)
        ends = [np.where(place <= 0.2, speed, np.inf).min(axis=1), np.where(place >= 0.8, speed, np.inf).min(axis=1)]
        slow, fast = ([float(np.median(end)) for end in ends][k] for k in (0, 1))
        if max(slow, fast) > 0.6 * typical and min(slow, fast) < 0.3 * typical:
            direction = ("+" if slow < fast else "-") + name
            words = (
                f"the points that rest while the body moves at {typical:.1f} m/s are at its end opposite to {direction}"
            )
            return Clue(direction, words, 1.5, 1.5)
    return None


def _box(markers: Markers) -> Clue | None:
    low, high = marker_boxes(markers)
    if not len(low):
        return None
    extent = np.median(high - low, axis=0)
    k = int(np.argmax(extent))
    others = np.delete(extent, k)
    candidates = [sign + "xyz"[k] for sign in "+-" if _on_floor(markers, sign + "xyz"[k])]
    elsewhere = [axis for axis in "xyz" if axis != "xyz"[k] and _on_floor(markers, "+" + axis)]
    if extent[k] < 1.2 or extent[k] < 1.5 * others.max() or len(candidates) != 1 or elsewhere:
        return None
    words = f"the markers span {extent[k]:.1f} m along {candidates[0][1]}, from the floor upwards"
    return Clue(candidates[0], words, 1.5, 0.0)


def _on_floor(markers: Markers, up: str) -> bool:
    """True if the lowest markers are near zero along ``up`` in most frames."""
    low, high = marker_boxes(markers)
    k = "xyz".index(up[1])
    lowest = low[:, k] if up[0] == "+" else -high[:, k]
    return bool(len(lowest)) and bool(FLOOR_M[0] <= np.median(lowest) <= FLOOR_M[1])


# ------------------------------------------------------------------------------------------------------------ forward
def _forward(markers: Markers, axes: LabAxes) -> Clue | None:
    """Where feet and pelvis point, or else where the subject walks; both seen from above."""
    across = np.array([axis != axes.up[1] for axis in "xyz"], dtype=np.float64)
    pointing = []
    for front, back in ((TOES, HEELS), (FRONT, BACK)):
        ahead, behind = middle_of(markers, front), middle_of(markers, back)
        if ahead is not None and behind is not None:
            pointing.append(ahead - behind)
    for arrow in pointing:
        flat = arrow * across
        length = np.linalg.norm(flat, axis=1, keepdims=True)
        level = (length > 0.7 * np.linalg.norm(arrow, axis=1, keepdims=True))[:, 0] & np.isfinite(length[:, 0])
        if level.sum() < 0.5 * np.isfinite(length).sum() or not level.any():
            continue  # the subject does not stand
        mean = (flat[level] / length[level]).mean(axis=0)
        direction = _axis_of(mean, 0.8)
        if direction is not None and np.linalg.norm(mean) > 0.8:  # did not turn round
            return Clue(direction, f"feet and pelvis point along {direction}")
    walked = _walked(markers) * across
    direction = _axis_of(walked)
    if direction is None or np.linalg.norm(walked) < WALKED_M:
        return None
    return Clue(direction, f"the subject moves {np.linalg.norm(walked):.1f} m along {direction}")


def _walked(markers: Markers) -> FloatArray:
    """Way (3,) from the first to the last tenth of the trial, of the markers seen in both [m]."""
    tenth = max(1, markers.frames // 10)
    first, last = markers.p_WM[:tenth], markers.p_WM[-tenth:]
    seen = np.isfinite(first).all(axis=2).any(axis=0) & np.isfinite(last).all(axis=2).any(axis=0)
    if not seen.any():
        return np.zeros(3)
    return np.asarray((np.nanmean(last[:, seen], axis=0) - np.nanmean(first[:, seen], axis=0)).mean(axis=0))


# ------------------------------------------------------------------------------------------------------------- labels
def middle_of(markers: Markers, *landmarks: Landmark) -> FloatArray | None:
    """Mean (T, 3) of the markers at such landmarks which are mostly seen; None if there are none."""
    seen = markers.visible.sum(axis=0) > 0.5 * markers.frames
    columns = [
        k for k, name in enumerate(markers.names) if seen[k] and any(_is_at(name, landmark) for landmark in landmarks)
    ]
    if not columns:
        return None
    middle = markers.p_WM[:, columns].mean(axis=1)
    return None if np.isnan(middle[:, 0]).all() else np.asarray(middle)


def _is_at(label: str, landmark: Landmark) -> bool:
    """True if the shipped marker sets place a label at a landmark or, where they do not know it, its name says so."""
    pattern, fits = landmark
    place = _known_places().get(_plain(label))
    return bool(pattern.search(_landmark(label))) if place is None else fits(place)


@cache
def _known_places() -> dict[str, FloatArray]:
    """Plain label -> place on the body, of all names and aliases in the shipped sets that agree where it is."""
    places: dict[str, list[tuple[float, float, float]]] = {}
    for name in shipped_marker_sets():
        for marker in load_marker_set(name).markers:
            if marker.place is None:
                continue
            words = {marker.name} if marker.side is None else set()
            for pattern in (marker.pattern, *marker.aliases):
                words |= {pattern.replace("*", side) for side in ("R", "L", "Right", "Left", "D", "E")}
            for word in {_plain(word) for word in words}:
                places.setdefault(word, []).append(marker.place)
    known = {}
    for word, found in places.items():
        p = np.array(found)
        if np.ptp(p[:, 1]) < 0.1 and np.ptp(p[:, 0]) < 0.1:
            known[word] = np.median(p, axis=0)
    return known


def _plain(label: str) -> str:
    return "".join(c for c in _unaccented(label).rpartition(":")[2].lower() if c.isalnum())


def _unaccented(label: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))


def _landmark(label: str) -> str:
    """A label in lower case without accents, separators and the letter of the side."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", _unaccented(label)) if word]
    words = [word for word in words if word.lower() not in ("r", "l", "d", "e", "right", "left")] or words
    word = "".join(words)
    if re.fullmatch(r"[RL][A-Z0-9]{3,}", word):  # Plug-in Gait and kin: LTOE, RHEE, LFHD
        word = word[1:]
    return word.lower()
