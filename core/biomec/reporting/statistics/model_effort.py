"""What consistency costs with a model, and how far it moves the jugular notch: [Nunes2017] Table 4.6 and Fig. 4.12."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, read_only
from biomec.base.fields import CM, MICROMETRES
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.reporting.statistics.recording_quality import DistanceSpread, spreads
from biomec.reporting.tables import NOTHING, Table, number, with_spread

NOTCH = "IJ"
FEWEST = 2  # frames that a test needs


@dataclass(frozen=True, eq=False)
class ModelEffort:
    """Frames (F,) in which the model was made to obey its constraints; arrays are read-only.

    iterations : until it did;  increment : size of the last change of the coordinates [m]
    shift      : of the jugular notch from raw to consistent [m]; empty where the model or the recording has none
    """

    model: str
    iterations: FloatArray
    increment: FloatArray
    shift: FloatArray

    @property
    def spread(self) -> DistanceSpread | None:
        """Percentiles of the shift, for a box."""
        found = spreads((self.model,), self.shift[:, None], np.isfinite(self.shift))
        return found[0] if found else None

    def row(self) -> tuple[str, str, str, str]:
        """Model, iterations, last increment [µm], shift of the notch [cm], mean ± SD over the frames."""
        increment = MICROMETRES * self.increment
        return (
            self.model,
            _mean_sd(self.iterations, 1),
            _mean_sd(increment, 1 if increment.size and increment.mean() >= 1.0 else 3),
            _mean_sd(CM * self.shift, 2),
        )


def model_effort(model: str, positions: ConsistentPositions) -> ModelEffort:
    """Effort over the valid frames."""
    valid, position = positions.valid, positions.position
    shift = np.zeros(0)
    if NOTCH in positions.landmarks:
        shift = positions.distance[valid, positions.landmarks.index(NOTCH)]
        shift = shift[np.isfinite(shift)]
    return ModelEffort(
        model, read_only(position.iterations[valid]), read_only(position.increment[valid]), read_only(shift)
    )


def shift_test(first: ModelEffort, second: ModelEffort) -> tuple[float, float]:
    """Student's t of the shifts of two models and its p, as published; NaN with fewer than two frames of either.

    Frames of one recording resemble each other, so that p is smaller than their number deserves.
    """
    if min(len(first.shift), len(second.shift)) < FEWEST:
        return float("nan"), float("nan")
    found = scipy.stats.ttest_ind(second.shift, first.shift)
    return float(found.statistic), float(found.pvalue)


def effort_table(first: ModelEffort, second: ModelEffort) -> Table:
    """Both models and the test of the shift."""
    t, p = shift_test(first, second)
    fewer = 100.0 * (second.iterations.mean() / first.iterations.mean() - 1.0)
    words = [f"Mean ± SD over the valid frames. {second.model} needs {_change(fewer)} iterations."]
    if np.isfinite(p):
        chance = "< 0.001" if p < 0.001 else f"= {p:.3f}"
        words.append(
            f"Shift: t = {number(t, 1)}, p {chance} by Student's test, as published; frames resemble each other, "
            "so p says less than it seems."
        )
    columns = ("Model", "Iterations", "Last increment [µm]", "Jugular notch moved [cm]")
    return Table("Consistency by model", columns, (first.row(), second.row()), " ".join(words))


def _change(percent: float) -> str:
    if not np.isfinite(percent) or abs(percent) < 0.05:
        return "as many"
    return f"{abs(percent):.1f} % {'fewer' if percent < 0.0 else 'more'}"


def _mean_sd(values: FloatArray, digits: int) -> str:
    if not values.size:
        return NOTHING
    return with_spread(float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else float("nan"), digits)
