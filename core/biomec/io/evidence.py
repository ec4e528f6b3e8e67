"""What the data themselves say about axes and units, against what their file says or what was assumed.

Order of belief: the user, the file, the evidence, the usual value. Evidence therefore replaces only what was assumed;
where it contradicts the file a warning says so and nothing is changed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.io.plate_evidence import examine_plate_units, sign_doubt
from biomec.recording import Authority, ForcePlate, LabAxes, Markers, Trial

ALONG = 0.85  # cosine: a direction within about 30° of an axis speaks for that axis
PUSHED_N = 50.0  # mean force below which a plate says nothing about gravity
FLOOR_M = (-0.10, 0.25)  # where the lowest marker of somebody who stands on the floor is
UPRIGHT_M = 0.7  # least height of upper over lower markers
WALKED_M = 1.0  # least way that counts as walking
QUIET = np.errstate(over="ignore", invalid="ignore")  # numbers of a damaged file overflow, and then speak for nothing
FACTORS = (1e-3, 1e3, 1e-2, 1e-6, 1e6)  # between usual units of length, the most usual first
BODY_M = (0.1, 5.0)  # diagonal of the box around the markers of one person, or of a part of one

# Labels are compared in lower case, without accents, side letters, digits at the end and separators.
UPPER = re.compile(
    r"head|cabeca|vertex|[fb]hd$|^hd$|^vc$|^glab|^c7$|acrom|^clav$|^sho$|shoulder|ombro|offset$|^ij$|^sjn$"
)
TOES = re.compile(r"toe|^mt[1-5]?$|^mt[1-5]h|metatars|hallux|^hlx$|dedo")
HEELS = re.compile(r"hee|calc|calcan|^ca$|^fcc$")
FRONT = re.compile(r"asi|^cias|^eias")
BACK = re.compile(r"psi|sacr|^pmcp|^eips|^cips")


@dataclass(frozen=True)
class Clue:
    """A direction of the laboratory that the data speak for, and how they say it."""

    direction: str
    reason: str


def examined(trial: Trial) -> Trial:
    """Return the trial with units and axes as the evidence has them, where they were only assumed, and all notices."""
    trial, of_plates = examine_plate_units(examined_units(trial))
    axes, more = examine_axes(trial)
    new = [notice for notice in (*of_plates, *more, *examine_events(trial)) if notice not in trial.notices]
    return with_axes(trial, axes).with_notices(*new)


def examined_units(trial: Trial) -> Trial:
    """Return the trial with its unit of length as the markers have it, where it was only assumed, and a notice."""
    factor, notices = examine_units(trial)
    if factor != 1.0 and any(_unit_was_assumed(notice) for notice in trial.notices):
        trial = scaled(trial, factor)
        words = f"The file states no unit of length; its lengths were multiplied by {factor:g}, so that a person fits."
        notices = (warning("unit-by-evidence", words),)
    return trial.with_notices(*(notice for notice in notices if notice not in trial.notices))


def examine_events(trial: Trial) -> tuple[Notice, ...]:
    """Return a notice about events before the first frame, but for rounding, or after the end of the last."""
    slack = 0.5 / trial.rate_hz
    outside = [event for event in trial.events if not -slack <= event.time_s <= trial.duration_s]
    if not outside or not trial.frames:
        return ()
    first = outside[0]
    return (
        warning(
            "events-outside",
            f"{len(outside)} of {len(trial.events)} events lie outside the trial of {trial.duration_s:.3f} s; "
            f"the first is {first.context} {first.label} at {first.time_s:.3f} s from start. Check the first frame of "
            "the file.",
        ),
    )


def with_axes(trial: Trial, axes: LabAxes) -> Trial:
    """Return the trial with another word on how its axes point; nothing is turned.

    A plate without corners has its surface by that word. Where up changes, the surface is put at height 0.
    """
    old, new = trial.axes.up_vector, axes.up_vector

    def stood(plate: ForcePlate) -> ForcePlate:
        if plate.corners is not None or np.array_equal(old, new) or not np.array_equal(plate.up, old):
            return plate
        about_lab_origin = plate.moment + np.cross(plate.origin, plate.force)
        return replace(plate, moment=about_lab_origin, origin=np.zeros(3), up=new)

    return replace(trial, axes=axes, plates=tuple(stood(plate) for plate in trial.plates))


def up_from(axes: LabAxes, up: str, authority: Authority) -> LabAxes:
    """Return the axes with another up; forward stays unless it would now be along it."""
    forward = axes.forward if axes.forward[1] != up[1] else "+x" if up[1] != "x" else "+y"
    return replace(axes, up=up, forward=forward, authority=authority)


def _unit_was_assumed(notice: Notice) -> bool:
    return notice.code.endswith(("unit-assumed", "unit-guessed"))


# -------------------------------------------------------------------------------------------------------------- units
@QUIET
def examine_units(trial: Trial) -> tuple[float, tuple[Notice, ...]]:
    """Return the factor by which the lengths have to be multiplied to be metres of a person, 1 where they are.

    Only factors between the usual units (m, dm, cm, mm, µm) are thought of; a size between them speaks for none.
    """
    size = _body_size(trial.markers)
    if size is None or BODY_M[0] / 10.0 <= size <= BODY_M[1] * 4.0:
        return 1.0, ()
    fitting = [factor for factor in FACTORS if BODY_M[0] <= size * factor <= BODY_M[1]]
    factor = fitting[0] if fitting else 1.0
    what = f"multiplied by {factor:g} they would fit" if fitting else "no usual unit of length would make them fit"
    return factor, (
        warning(
            "unit-contradicted",
            f"{trial.source.name}: the markers of the subject span {size:.3g} m, which no person does; {what}. "
            "Check the unit of the file.",
        ),
    )


def scaled(trial: Trial, factor: float) -> Trial:
    """Return the trial with every length multiplied: points, residuals, places of plates and moments.

    What was assumed about the unit is settled by that, so notices about it go.
    """

    def lengths(markers: Markers) -> Markers:
        residual = None if markers.residual is None else markers.residual * factor
        return replace(markers, p_WM=markers.p_WM * factor, residual=residual)

    return replace(
        trial,
        markers=lengths(trial.markers),
        unlabelled=None if trial.unlabelled is None else lengths(trial.unlabelled),
        other_subjects={name: lengths(markers) for name, markers in trial.other_subjects.items()},
        plates=tuple(
            replace(
                plate,
                moment=plate.moment * factor,
                origin=plate.origin * factor,
                corners=None if plate.corners is None else plate.corners * factor,
            )
            for plate in trial.plates
        ),
        notices=tuple(notice for notice in trial.notices if not _unit_was_assumed(notice)),
    )


def _boxes(markers: Markers) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest coordinates (T', 3) of the markers, in the frames where at least three are seen."""
    p = markers.p_WM[markers.visible.sum(axis=1) >= 3]
    if not p.size:
        return np.zeros((0, 3)), np.zeros((0, 3))
    return np.nanmin(p, axis=1), np.nanmax(p, axis=1)


def _body_size(markers: Markers) -> float | None:
    """Median diagonal of the box around the markers [m]."""
    low, high = _boxes(markers)
    return float(np.median(np.linalg.norm(high - low, axis=1))) if len(low) else None


# --------------------------------------------------------------------------------------------------------------- axes
@QUIET
def examine_axes(trial: Trial) -> tuple[LabAxes, tuple[Notice, ...]]:
    """Return the axes with what was only assumed replaced by the evidence, and notices about it."""
    axes, notices = trial.axes, []
    clue, doubts = _up(trial)
    notices += doubts
    if clue is not None and axes.authority is Authority.ASSUMED:
        changed = clue.direction != axes.up
        axes = up_from(axes, clue.direction, Authority.EVIDENCE)
        if changed:
            notices.append(info("up-by-evidence", f"Up is {clue.direction}: {clue.reason}. The file does not say it."))
    elif clue is not None and clue.direction != axes.up and axes.authority is not Authority.EVIDENCE:
        notices.append(
            warning(
                "up-contradicted",
                f"{_who(axes.authority)} says that up is {axes.up}, but {clue.reason}. Nothing was changed; check it.",
            )
        )
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


def _who(authority: Authority) -> str:
    return {Authority.FILE: "The file", Authority.USER: "The user"}.get(authority, "Other evidence")


def _axis_of(vector: FloatArray, least: float = ALONG) -> str | None:
    """Name of the axis that a vector (3,) points along, or None if it points between axes."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        return None
    k = int(np.argmax(np.abs(vector)))
    return None if abs(vector[k]) < least * length else ("+" if vector[k] > 0.0 else "-") + "xyz"[k]


def _up(trial: Trial) -> tuple[Clue | None, list[Notice]]:
    """Strongest clue to gravity: the force of the plates, then upper above lower markers, then a tall narrow box.

    Plates alone never say that an axis points down, nor the contrary of what is known: their sign is doubted instead.
    """
    pushed, seen = _up_by_plates(trial), _up_by_names(trial.markers) or _up_by_box(trial.markers)
    if pushed is None or (seen is not None and seen.direction == pushed.direction):
        return pushed or seen, []
    up = trial.axes.up
    if seen is not None and _opposite(seen.direction, pushed.direction):
        return seen, [sign_doubt(trial, pushed.reason, seen.reason)]
    if pushed.direction != up and (pushed.direction[0] == "-" or _opposite(up, pushed.direction)):
        return seen, [sign_doubt(trial, pushed.reason, f"nothing but the plates says that up is {pushed.direction}")]
    return pushed, []


def _opposite(one: str, other: str) -> bool:
    return one[1] == other[1] and one[0] != other[0]


def _up_by_plates(trial: Trial) -> Clue | None:
    total = np.zeros(3)
    samples = 0
    for plate in trial.plates:
        size = np.linalg.norm(plate.force, axis=1)
        loaded = size > PUSHED_N  # NaN is not
        total += plate.force[loaded].sum(axis=0)
        samples += int(loaded.sum())
    direction = _axis_of(total) if samples >= 10 else None
    if direction is None:
        return None
    return Clue(direction, f"the plates push the subject along {direction} ({np.linalg.norm(total) / samples:.0f} N)")


def _up_by_names(markers: Markers) -> Clue | None:
    """Head and shoulders above feet, these on the floor; somebody who lies or does push-ups gives no clue."""
    upper = _middle(markers, UPPER)
    lower = _middle(markers, TOES, HEELS)
    if upper is None or lower is None:
        return None
    apart = upper - lower
    apart = apart[np.isfinite(apart).all(axis=1)]
    difference = np.median(apart, axis=0) if len(apart) else np.zeros(3)
    direction = _axis_of(difference)
    if direction is None or np.linalg.norm(difference) < UPRIGHT_M or not _on_floor(markers, direction):
        return None
    return Clue(direction, f"head and shoulders are {np.linalg.norm(difference):.1f} m from the feet along {direction}")


def _up_by_box(markers: Markers) -> Clue | None:
    low, high = _boxes(markers)
    if not len(low):
        return None
    extent = np.median(high - low, axis=0)
    k = int(np.argmax(extent))
    others = np.delete(extent, k)
    candidates = [sign + "xyz"[k] for sign in "+-" if _on_floor(markers, sign + "xyz"[k])]
    elsewhere = [axis for axis in "xyz" if axis != "xyz"[k] and _on_floor(markers, "+" + axis)]
    if extent[k] < 1.2 or extent[k] < 1.5 * others.max() or len(candidates) != 1 or elsewhere:
        return None
    return Clue(candidates[0], f"the markers span {extent[k]:.1f} m along {candidates[0][1]}, from the floor upwards")


def _on_floor(markers: Markers, up: str) -> bool:
    """True if the lowest markers are near zero along ``up`` in most frames."""
    low, high = _boxes(markers)
    k = "xyz".index(up[1])
    lowest = low[:, k] if up[0] == "+" else -high[:, k]
    return bool(len(lowest)) and bool(FLOOR_M[0] <= np.median(lowest) <= FLOOR_M[1])


def _forward(markers: Markers, axes: LabAxes) -> Clue | None:
    """Where feet and pelvis point, or else where the subject walks; both seen from above."""
    across = np.array([axis != axes.up[1] for axis in "xyz"], dtype=np.float64)
    pointing = []
    for front, back in ((TOES, HEELS), (FRONT, BACK)):
        ahead, behind = _middle(markers, front), _middle(markers, back)
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


def _middle(markers: Markers, *patterns: re.Pattern[str]) -> FloatArray | None:
    """Mean (T, 3) of the markers whose landmark matches and which are mostly seen; None if there are none."""
    seen = markers.visible.sum(axis=0) > 0.5 * markers.frames
    columns = [
        k for k, name in enumerate(markers.names) if seen[k] and any(p.search(_landmark(name)) for p in patterns)
    ]
    if not columns:
        return None
    middle = markers.p_WM[:, columns].mean(axis=1)
    return None if np.isnan(middle[:, 0]).all() else np.asarray(middle)


def _landmark(label: str) -> str:
    """A label in lower case without accents, separators and the letter of the side."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))
    words = [word for word in re.split(r"[^A-Za-z0-9]+", plain) if word]
    words = [word for word in words if word.lower() not in ("r", "l", "d", "e", "right", "left")] or words
    word = "".join(words)
    if re.fullmatch(r"[RL][A-Z0-9]{3,}", word):  # Plug-in Gait and kin: LTOE, RHEE, LFHD
        word = word[1:]
    return word.lower()
