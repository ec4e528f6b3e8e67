"""Surface EMG as amplifiers give it: noise of the muscles' band, as strong as the muscles work."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.signal import butter, sosfiltfilt

from biomec.base.arrays import FloatArray
from biomec.recording import Analog

FULL_EFFORT_V = 5e-4  # root mean square at full effort
AMPLIFIER_V = 4e-6
BAND_HZ = (20.0, 400.0)


def emg_signals(
    efforts: Mapping[str, FloatArray], time_s: FloatArray, rate_hz: float, duration_s: float, rng: np.random.Generator
) -> Analog | None:
    """EMG channels of efforts (T,) between 0 and 1 at times (T,); None where no muscle is known.

    x = e(t) · n(t) + amplifier noise, n being Gaussian noise between 20 and 400 Hz of unit power.
    """
    if not efforts:
        return None
    samples = round(duration_s * rate_hz)
    at = np.arange(samples) / rate_hz
    high = min(BAND_HZ[1], 0.45 * rate_hz)
    band = butter(2, (BAND_HZ[0], high), "bandpass", fs=rate_hz, output="sos")
    channels = []
    for effort in efforts.values():
        carrier = sosfiltfilt(band, rng.normal(size=samples))
        level = np.interp(at, time_s, effort)
        channels.append(FULL_EFFORT_V * level * carrier / carrier.std() + AMPLIFIER_V * rng.normal(size=samples))
    names = tuple(efforts)
    return Analog(names, np.stack(channels, axis=1), ("V",) * len(names), rate_hz)
