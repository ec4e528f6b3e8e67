"""A session of which somebody knows better: other axes, another unit of its positions, plates turned round."""

from __future__ import annotations

from dataclasses import replace

from biomec.base.errors import BiomecError
from biomec.io.evidence import examine_units, with_axes
from biomec.io.plate_evidence import reversed_plates
from biomec.recording import LabAxes, Session, Trial


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
