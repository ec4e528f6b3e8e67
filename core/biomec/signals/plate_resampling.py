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

from dataclasses import dataclass

import numpy as np

from biomec.arrays import BoolArray, FloatArray
from biomec.recording import ForcePlate
from biomec.signals.contact_detection import Contact


@dataclass(frozen=True, eq=False)
class FrameWrench:
    """A plate's wrench at the frames of the cameras, about the plate's origin.

    force  : (T, 3) [N]; moment : (T, 3) [N m]
    covered: (T,) share of each frame's interval in which the plate was sampled, or the contact lasted; 0 to 1
    """

    force: FloatArray
    moment: FloatArray
    covered: FloatArray

    def centre_of_pressure(self, plate: ForcePlate, threshold_n: float) -> FloatArray:
        """(T, 3) point of the surface about which no horizontal moment acts [m]; NaN below the threshold."""
        vertical = self.force @ plate.up
        normal = np.where(vertical > threshold_n, vertical, np.nan)[:, None]
        return np.asarray(plate.origin + np.cross(plate.up, self.moment) / normal)


def plate_at_frames(plate: ForcePlate, rate_hz: float, frames: int) -> FrameWrench:
    """Wrench of a plate at ``frames`` camera frames, the first at time 0; NaN where the plate was not sampled."""
    wrench = np.hstack([plate.force, plate.moment])
    known: BoolArray = np.asarray(np.isfinite(wrench).all(axis=1))
    mean, covered = frame_means(np.where(known[:, None], wrench, 0.0), known, plate, rate_hz, frames)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 where nothing was sampled: NaN is the answer
        mean = mean / covered[:, None]
    return FrameWrench(mean[:, :3], mean[:, 3:], covered)


def contact_at_frames(plate: ForcePlate, contact: Contact, rate_hz: float, frames: int) -> FrameWrench:
    """Wrench of one contact at the camera frames; 0 where it does not last. End frames may hold only a part of it."""
    wrench = np.hstack([plate.force, plate.moment])
    inside = np.zeros(plate.samples, dtype=np.bool_)
    inside[contact.first : contact.last + 1] = True
    inside &= np.isfinite(wrench).all(axis=1)
    mean, covered = frame_means(np.where(inside[:, None], wrench, 0.0), inside, plate, rate_hz, frames)
    return FrameWrench(mean[:, :3], mean[:, 3:], covered)


def frame_means(
    values: FloatArray, counts: BoolArray, plate: ForcePlate, rate_hz: float, frames: int
) -> tuple[FloatArray, FloatArray]:
    """Means (T, C) of samples (N, C) over the intervals of the frames, and the share (T,) of samples that count.

    The running integral is linear between the borders of samples, so its difference over a frame's interval is exact.
    Where the plate is slower than the cameras, values are interpolated linearly between samples instead.
    """
    table = np.hstack([values, np.asarray(counts, dtype=np.float64)[:, None]])
    if plate.rate_hz < rate_hz:
        at = np.arange(frames) / rate_hz
        columns = [np.interp(at, plate.time_s, column, left=0.0, right=0.0) for column in table.T]
        result = np.stack(columns, axis=1)
    else:
        borders = plate.start_s + (np.arange(plate.samples + 1) - 0.5) / plate.rate_hz
        running = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)]) / plate.rate_hz
        edges = (np.arange(frames + 1) - 0.5) / rate_hz
        at_edges = np.stack([np.interp(edges, borders, column) for column in running.T], axis=1)
        result = np.diff(at_edges, axis=0) * rate_hz
    return result[:, :-1], np.clip(result[:, -1], 0.0, 1.0)
