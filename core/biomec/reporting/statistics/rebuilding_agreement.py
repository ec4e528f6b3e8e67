"""How far rebuilt markers can be trusted: measured markers beside where the others of their segment put them.

[Nunes2017] appendix A compares them by the agreement of vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.recording import Markers
from biomec.reporting.statistics.agreement import FEWEST_POINTS, AgreementOptions, VectorAgreement, vector_agreement

MILLIMETRE = 1e3


def checkable(measured: Markers, rebuilt: Markers) -> tuple[str, ...]:
    """Markers that are measured and rebuilt at once in enough frames to be compared."""
    found = []
    for name in measured.names:
        if name in rebuilt:
            both = measured.visible[:, measured.index(name)] & rebuilt.visible[:, rebuilt.index(name)]
            if int(both.sum()) >= FEWEST_POINTS:
                found.append(name)
    return tuple(found)


def rebuilding_agreement(
    measured: Markers, rebuilt: Markers, names: Sequence[str], options: AgreementOptions = AgreementOptions()
) -> VectorAgreement:
    """Agreement of the rebuilt with the measured positions of some markers, pooled [mm]."""
    if not names:
        raise BiomecError("No marker is both measured and rebuilt, so that there is nothing to compare.")
    a, b = (_pooled(markers, names) for markers in (measured, rebuilt))
    whole = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
    return vector_agreement(MILLIMETRE * a[whole], MILLIMETRE * b[whole], options)


def _pooled(markers: Markers, names: Sequence[str]) -> FloatArray:
    return np.concatenate([markers[name] for name in names])
