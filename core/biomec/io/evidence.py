"""What the data themselves say about axes, plates and units, against what their file says or what was assumed.

Order of belief about axes: the user, the evidence, the file, the usual value. A unit that the file states is kept;
where the data contradict it a warning says so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning
from biomec.io.axes_evidence import examine_axes
from biomec.io.plate_evidence import examine_corners, examine_plate_units, reversed_plates, turned_over
from biomec.io.unit_evidence import examine_units, examined_units
from biomec.recording import ForcePlate, LabAxes, Session, Trial


@np.errstate(over="ignore")  # what is infinitely far is far
def examined(trial: Trial) -> Trial:
    """Return the trial with axes and plates by the evidence, units too where they were assumed, and all notices."""
    read = examined_units(trial)
    trial, of_plates = examine_plate_units(read)
    axes, more = examine_axes(trial)
    if axes.up != trial.axes.up:  # where a table acts, and its free moment, depend on what is up
        trial, of_plates = examine_plate_units(with_axes(read, axes))
    trial, of_corners = examine_corners(with_axes(trial, axes))
    new = (*of_plates, *more, *of_corners, *examine_events(trial))
    return trial.with_notices(*(notice for notice in new if notice not in trial.notices))


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

    A plate without corners has its surface by that word. Where up changes, the surface is put at height 0. A plate with
    corners is read with its other side up if it faces down (`turned_over`).
    """
    old, new = trial.axes.up_vector, axes.up_vector

    def stood(plate: ForcePlate) -> ForcePlate:
        if plate.corners is not None or np.array_equal(old, new) or not np.array_equal(plate.up, old):
            return plate
        about_lab_origin = plate.moment + np.cross(plate.origin, plate.force)
        return replace(plate, moment=about_lab_origin, origin=np.zeros(3), up=new)

    return turned_over(replace(trial, axes=axes, plates=tuple(stood(plate) for plate in trial.plates)))


def redescribed(
    session: Session, axes: LabAxes | None = None, factor: float = 1.0, reverse_plates: bool = False
) -> Session:
    """Return the session as a person describes it; movement and static alike, only the movement's plates are turned.

    axes   : how the laboratory's axes point; None leaves them
    factor : of all positions of markers, such as 0.001 for millimetres that were taken for metres
    """
    if not 0.0 < factor < float("inf"):
        raise BiomecError(f"Positions cannot be multiplied by {factor:g}; give a number above 0.")
    dynamic = _redescribed(session.dynamic, axes, factor)
    static = None if session.static is None else _redescribed(session.static, axes, factor)
    return replace(session, dynamic=reversed_plates(dynamic) if reverse_plates else dynamic, static=static)


def _redescribed(trial: Trial, axes: LabAxes | None, factor: float) -> Trial:
    if axes is not None:
        trial = with_axes(trial, axes)
    if factor == 1.0:
        return trial
    markers = trial.markers
    residual = None if markers.residual is None else factor * markers.residual
    known = tuple(notice for notice in trial.notices if notice.code != "unit-contradicted")  # of the size that it had
    trial = replace(trial, markers=replace(markers, p_WM=factor * markers.p_WM, residual=residual), notices=known)
    return trial.with_notices(*examine_units(trial)[1])
