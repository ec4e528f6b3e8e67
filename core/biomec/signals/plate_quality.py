"""What may be wrong with force plates, before anybody trusts them: strikes, edges, signs and clipping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, Severity, info, problem, warning
from biomec.recording import ForcePlate, Trial
from biomec.signals.contact_detection import frame_range
from biomec.signals.contacts import AssignedContact, ContactAssignment
from biomec.signals.plate_baseline import Baseline
from biomec.signals.plate_geometry import (
    called,
    edge_distance,
    on_surface,
    outline,
    reach_beyond_edge,
    segment_points,
    surface_axes,
)
from biomec.signals.plate_resampling import contact_at_frames
from biomec.signals.stretches import stretches


@dataclass(frozen=True)
class PlateQualityOptions:
    """Limits of the checks.

    edge_m         : a centre of pressure nearer to an edge than this is reported [m]
    outside_m      : one farther beyond the edge than this is impossible: something is wrong [m]
    reach_m        : markers of the foot may reach this far beyond the edge: they sit on the skin or shoe [m]
    outside_share  : share of a contact's impulse that may act near or beyond the edge
    pull_n, pull_s : a vertical force below −pull_n for longer than pull_s is a pull or a wrong sign [N, s]
    clip_s         : a channel that stays exactly at its extreme for longer than this is clipped [s]
    """

    edge_m: float = 0.01
    outside_m: float = 0.005
    reach_m: float = 0.02
    outside_share: float = 0.02
    pull_n: float = 20.0
    pull_s: float = 0.05
    clip_s: float = 0.01


@dataclass(frozen=True, eq=False)
class ContactQuality:
    """One contact, seen with suspicion; for display beside it.

    edge_m         : (n,) distance of the centre of pressure from the nearest edge, positive inside [m]; NaN where the
                     force is below the threshold, or the plate has no corners
    near_edge      : share of the impulse that acts within ``edge_m`` of the edge or beyond it
    outside        : share that acts farther than ``outside_m`` beyond it
    reach_m        : marker -> how far it lies beyond the plate while it is down, negative inside [m]
    sharing        : segments on the plate at once, where they are more than one
    trusted        : to tell when the foot lands and leaves: no notice is a problem, and no marker lies beyond the plate
    """

    plate: str
    number: int
    segment: str | None
    edge_m: FloatArray
    near_edge: float
    outside: float
    reach_m: Mapping[str, float]
    sharing: tuple[str, ...]
    trusted: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "reach_m", FrozenDict(self.reach_m))


@dataclass(frozen=True, eq=False)
class PlateQuality:
    """All checks of all plates of a trial. Baselines belong to the plates in their order."""

    contacts: tuple[ContactQuality, ...]
    baselines: tuple[Baseline | None, ...]
    options: PlateQualityOptions
    notices: tuple[Notice, ...] = ()

    def find(self, plate: str, number: int) -> ContactQuality | None:
        """Return the checks of one contact."""
        return next((c for c in self.contacts if (c.plate, c.number) == (plate, number)), None)


def check_plates(
    trial: Trial,
    assignment: ContactAssignment,
    options: PlateQualityOptions = PlateQualityOptions(),
    *,
    recorded: Sequence[ForcePlate] | None = None,
) -> PlateQuality:
    """Check plates and contacts. The subject's weight is checked apart, by `mass_from_plates`.

    recorded : the plates as they were recorded, if those of the trial are filtered: a filter bends the flat top of a
               channel that was full, as does a drift that is removed
    """
    notices = [*assignment.detected.notices]
    for plate, measured in zip(assignment.detected.plates, trial.plates if recorded is None else recorded, strict=True):
        notices += _sign(trial, plate, options) + _clipping(trial, measured, options)
        if plate.corners is None:
            name = called(plate.name, begin=True)
            sentence = f"{name} has no corners in the recording: nobody can tell whether a force lies on it."
            notices.append(info("plate-without-corners", sentence, plate.name))
    checked = []
    for item in assignment.contacts:
        quality, said = _contact(trial, assignment, item, options)
        checked.append(quality)
        notices += said
    return PlateQuality(tuple(checked), assignment.detected.baselines, options, tuple(notices))


def _contact(
    trial: Trial, assignment: ContactAssignment, item: AssignedContact, options: PlateQualityOptions
) -> tuple[ContactQuality, list[Notice]]:
    contact, plate = item.contact, assignment.plate(item.contact.plate)
    frames = frame_range(trial.rate_hz, trial.frames, contact.on_s, contact.off_s)
    what = f"Contact {contact.number} of {called(plate.name)} ({contact.on_s:.2f} to {contact.off_s:.2f} s)"
    about = (plate.name, *((item.segment,) if item.segment else ()))
    notices: list[Notice] = []

    border = outline(plate)
    edge = np.full(len(contact.cop), np.nan)
    if border is not None:
        edge = edge_distance(border, on_surface(plate, contact.cop)[:, :2])
    weight = np.where(np.isfinite(edge), plate.force[contact.first : contact.last + 1] @ plate.up, 0.0)
    near, outside = (_share(weight, edge < limit) for limit in (options.edge_m, -options.outside_m))
    farthest = -float(np.nanmin(edge, initial=np.inf)) * 100.0
    if outside > options.outside_share:
        sentence = (
            f"{what}: {100 * outside:.0f} % of the force acts outside the plate, up to {farthest:.1f} cm. Check the "
            "corners, the origin and the calibration of the plate, and whether something beside it was touched."
        )
        notices.append(problem("force-outside-plate", sentence, *about, frames=frames))
    elif near > options.outside_share:
        sentence = (
            f"{what}: {100 * near:.0f} % of the force acts within {options.edge_m * 100:g} cm of the edge. "
            "Whether force is missing shows beside the motion, when loads are computed."
        )
        notices.append(info("force-near-edge", sentence, *about, frames=frames))

    reach = _reach(trial, assignment, item, plate)
    beyond = {name: r for name, r in reach.items() if r > options.reach_m}
    if beyond:
        worst = max(beyond, key=lambda name: beyond[name])
        sentence = (
            f"{what}: {item.segment} overhangs the plate: {', '.join(beyond)} reach up to "
            f"{beyond[worst] * 100:.1f} cm beyond its edge ({worst}). Whether force is missing shows beside the "
            "motion, when loads are computed."
        )
        notices.append(info("foot-overhangs", sentence, *about, frames=frames))
    if len(item.sharing) > 1:
        sentence = (
            f"{what}: {' and '.join(item.sharing)} are on the plate at the same time. It measures their sum; "
            "the force of one alone cannot be known."
        )
        notices.append(problem("two-on-one-plate", sentence, plate.name, *item.sharing, frames=frames))
    trusted = not beyond and all(notice.severity is not Severity.PROBLEM for notice in notices)
    quality = ContactQuality(
        plate.name, contact.number, item.segment, read_only(edge), near, outside, reach, item.sharing, trusted
    )
    return quality, notices


def _reach(trial: Trial, assignment: ContactAssignment, item: AssignedContact, plate: ForcePlate) -> dict[str, float]:
    """Marker of the segment -> how far beyond the edge it lies while it is down on the ground [m]."""
    if item.segment is None or plate.corners is None:
        return {}
    names = [name for name in assignment.segments.get(item.segment, ()) if name in trial.markers]
    wrench = contact_at_frames(plate, item.contact, trial.rate_hz, trial.frames)
    points = segment_points(trial.markers, names, wrench.frames)
    reach = reach_beyond_edge(plate, points, wrench.covered > 0.5)
    return {name: float(r) for name, r in zip(names, reach, strict=True) if np.isfinite(r)}


def _share(weight: FloatArray, mask: BoolArray) -> float:
    """Share of the weight where the mask holds."""
    total = float(weight.sum())
    return float(weight[mask].sum()) / total if total > 0.0 else 0.0


def _sign(trial: Trial, plate: ForcePlate, options: PlateQualityOptions) -> list[Notice]:
    """Pulling plates: a sign error when most of the force is negative, otherwise a pull or a shifted zero."""
    vertical = np.nan_to_num(plate.vertical)
    runs = stretches(vertical < -options.pull_n)
    runs = runs[(runs[:, 1] - runs[:, 0]) / plate.rate_hz > options.pull_s]
    if len(runs) == 0:
        return []
    time = plate.time_s
    frames = frame_range(trial.rate_hz, trial.frames, float(time[runs[0, 0]]), float(time[runs[-1, 1] - 1]))
    lowest, name = float(vertical.min()), called(plate.name, begin=True)
    if -vertical[vertical < 0.0].sum() > vertical[vertical > 0.0].sum():
        sentence = (
            f"{name} is pulled upwards for most of its load (down to {lowest:.0f} N): its vertical force "
            "seems to have the wrong sign. Turn the sign of the plate, or check its corners and channels."
        )
        return [problem("plate-sign", sentence, plate.name, frames=frames)]
    sentence = (
        f"{name} reads down to {lowest:.0f} N, as if it were pulled upwards, in {len(runs)} stretch"
        f"{'es' if len(runs) > 1 else ''} from frame {trial.first_frame + frames[0]} to "
        f"{trial.first_frame + frames[1]}. A plate cannot be pulled: check its zero."
    )
    return [warning("plate-pulled", sentence, plate.name, frames=frames)]


def _clipping(trial: Trial, plate: ForcePlate, options: PlateQualityOptions) -> list[Notice]:
    """Channels that stay at exactly their largest or smallest value after a jump: the converter was full."""
    R = surface_axes(plate)
    # in the plate's own axes one full channel shows; rounding of the turn is far below any converter's step
    channels = np.round(np.hstack([plate.force @ R.T, plate.moment @ R.T]), 9)
    need = max(4, round(options.clip_s * plate.rate_hz))
    names = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
    found: list[tuple[str, int, int]] = []
    for label, channel in zip(names, channels.T, strict=True):
        if not np.isfinite(channel).any() or np.nanmax(np.abs(channel)) == 0.0:
            continue
        steps = np.abs(np.diff(channel))
        steps = steps[steps > 0.0]  # also drops NaN
        if steps.size == 0:
            continue
        for extreme in (np.nanmax(channel), np.nanmin(channel)):
            runs = stretches(channel == extreme) if extreme != 0.0 else np.zeros((0, 2), dtype=np.int64)
            for first, stop in runs[runs[:, 1] - runs[:, 0] >= need]:
                # a quiet signal may rest on its extreme by chance, one converter step from its neighbours; a clipped
                # one arrives there with a larger step
                before = abs(extreme - channel[first - 1]) if first > 0 else 0.0
                after = abs(extreme - channel[stop]) if stop < channel.size else 0.0
                if max(before, after) > 3.0 * float(steps.min()):
                    found.append((label, int(first), int(stop) - 1))
    if not found:
        return []
    time = plate.time_s
    first, last = min(f[1] for f in found), max(f[2] for f in found)
    frames = frame_range(trial.rate_hz, trial.frames, float(time[first]), float(time[last]))
    which = list(dict.fromkeys(channel for channel, _, _ in found))
    name = called(plate.name, begin=True)
    sentence = (
        f"{name}: {', '.join(which)} {'stands at its' if len(which) == 1 else 'stand at their'} limit for up to "
        f"{max(b - a + 1 for _, a, b in found) / plate.rate_hz * 1000:.0f} ms between frames "
        f"{trial.first_frame + frames[0]} and {trial.first_frame + frames[1]}: the true force was larger. "
        "Choose a larger measuring range for the next recording."
    )
    return [problem("plate-clipped", sentence, plate.name, frames=frames)]
