"""Force plates at the frames of the cameras: block averages that keep the impulse.

Plates are sampled faster than cameras. Taking every tenth sample would fold noise into the frames and lose or double a
blow that falls between them; instead each frame gets the mean of the wrench over its own interval,

    f_k = r ∫ f(t) dt   from (k − ½)/r to (k + ½)/r,      r = frames a second,

where each sample stands for the interval of its own rate around it. The interval is centred on the frame, so nothing
is delayed; Σ f_k / r equals Σ f_i / rate, so the impulse is kept exactly, also where the two rates have no whole ratio.
The mean over an interval is a low-pass with its first zero at r and −3.9 dB at r/2. A centre of pressure is never
averaged itself: it follows from the averaged wrench, which weights every sample by its force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.recording import ForcePlate
from biomec.signals.contact_detection import Contact

WHOLE = 1.0 - 1e-9  # share of a frame from which on it was sampled wholly, but for round-off


@dataclass(frozen=True, eq=False)
class FrameWrench:
    """A plate's wrench at some frames of the cameras, about the plate's origin.

    first  : number of the first frame, from 0
    force  : (F, 3) [N]; moment : (F, 3) [N m]
    covered: (F,) share of each frame's interval in which the plate was sampled, or the contact lasted; 0 to 1
    """

    first: int
    force: FloatArray
    moment: FloatArray
    covered: FloatArray

    @property
    def frames(self) -> slice:
        """The frames, as a slice of the trial's."""
        return slice(self.first, self.first + len(self.covered))

    def centre_of_pressure(self, plate: ForcePlate, threshold_n: float) -> FloatArray:
        """(F, 3) point of the surface about which no horizontal moment acts [m]; NaN below the threshold."""
        vertical = self.force @ plate.up
        normal = np.where(vertical > threshold_n, vertical, np.nan)[:, None]
        return np.asarray(plate.origin + np.cross(plate.up, self.moment) / normal)


def plate_at_frames(plate: ForcePlate, rate_hz: float, frames: int) -> FrameWrench:
    """Wrench of a plate at all camera frames, the first at time 0; NaN where the plate was not sampled."""
    wrench, covered = _frame_means(plate, 0, plate.samples, rate_hz, np.arange(frames))
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 where nothing was sampled: NaN is the answer
        wrench = wrench / covered[:, None]
    return FrameWrench(0, wrench[:, :3], wrench[:, 3:], covered)


def contact_at_frames(plate: ForcePlate, contact: Contact, rate_hz: float, frames: int) -> FrameWrench:
    """Wrench of one contact at the camera frames that it touches; the outer ones may hold only a part of it.

    A frame that was sampled only in part, such as the first one of a recording that begins in contact, gets the mean of
    what was sampled: nobody was lighter before the plate was read.
    """
    reach = 0.5 / plate.rate_hz if plate.rate_hz >= rate_hz else 1.0 / plate.rate_hz
    begin = plate.start_s + contact.first / plate.rate_hz - reach
    end = plate.start_s + contact.last / plate.rate_hz + reach
    first, last = (min(max(math.floor(t * rate_hz + 0.5), 0), max(frames - 1, 0)) for t in (begin, end))
    touched = np.arange(first, min(last + 1, frames))
    wrench, covered = _frame_means(plate, contact.first, contact.last + 1, rate_hz, touched)
    _, sampled = _frame_means(plate, 0, plate.samples, rate_hz, touched)
    share = np.where((sampled > 0.0) & (sampled < WHOLE), sampled, 1.0)
    wrench, covered = wrench / share[:, None], np.minimum(covered / share, 1.0)
    return FrameWrench(first, wrench[:, :3], wrench[:, 3:], covered)


def _frame_means(
    plate: ForcePlate, start: int, stop: int, rate_hz: float, frames: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Mean wrench (F, 6) of samples ``start`` up to ``stop`` over each frame's interval, and the share (F,) covered.

    All other samples, and missing ones, count as 0. The running integral is linear between the borders of samples, so
    its difference over a frame's interval is exact. Where the plate is slower than the cameras, values are interpolated
    linearly between samples instead.
    """
    wrench = np.hstack([plate.force[start:stop], plate.moment[start:stop]])
    known = np.isfinite(wrench).all(axis=1, keepdims=True)
    table = np.hstack([np.where(known, wrench, 0.0), known])
    begin = plate.start_s + start / plate.rate_hz
    if plate.rate_hz < rate_hz:
        inner = (int(start > 0), int(stop < plate.samples))  # next to a contact the plate is sampled, and counts as 0
        table = np.pad(table, (inner, (0, 0)))
        at = begin + (np.arange(len(table)) - inner[0]) / plate.rate_hz
        columns = [np.interp(frames / rate_hz, at, column, left=0.0, right=0.0) for column in table.T]
        result = np.stack(columns, axis=1)
    else:
        borders = begin + (np.arange(len(table) + 1) - 0.5) / plate.rate_hz
        running = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)]) / plate.rate_hz
        edges = (np.append(frames, frames[-1:] + 1) - 0.5) / rate_hz
        at_edges = np.stack([np.interp(edges, borders, column) for column in running.T], axis=1)
        result = np.diff(at_edges, axis=0) * rate_hz
    return result[:, :-1], np.clip(result[:, -1], 0.0, 1.0)
