"""Errors of joint loads against a virtual subject's truth, for tests and for the table of docs/validation.md.

python -m tests.core.pipeline.load_errors
"""

import sys
from dataclasses import dataclass, replace

import numpy as np

from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session
from biomec.signals.derivatives import Scheme
from biomec.virtual import DEMO, PushUp, RecordOptions, Squat, VirtualAcquisition, VirtualPerson, Walk, record

UNFILTERED = SignalSettings(marker_filter=None, plate_filter=None)
CENTRAL = AnalysisSettings(signals=UNFILTERED)
SPLINE = AnalysisSettings(signals=UNFILTERED, positions=ConsistencyOptions(scheme=Scheme.SPLINE))
SEEN = replace(DEMO, gaps=0.0)  # an ordinary day on which no camera lost a marker
ENDS = 6  # frames at either end whose derivatives are one-sided
MOVEMENTS = {"push-up": PushUp("closed", cycles=2), "squat": Squat(), "walk": Walk()}


@dataclass(frozen=True)
class LoadErrors:
    """RMS over frames of the length of a difference; of the joint where it is largest.

    force [N], torque [N m]; relative ones by the largest load of any joint; residual [N, N m]
    """

    frames: int
    force: float
    torque: float
    relative_force: float
    relative_torque: float
    residual_force: float
    residual_torque: float
    residual_peak: float


def analysed(acquisition: VirtualAcquisition, settings: AnalysisSettings | None = None) -> Analysis:
    """The acquisition through the whole pipeline."""
    session = Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)
    return analyze(session, settings)


def load_errors(acquisition: VirtualAcquisition, analysis: Analysis) -> LoadErrors:
    """Compare loads with the truth over the frames in which plates bear the whole body, ends left out."""
    loads, truth = analysis.loads.newton_euler, acquisition.truth.loads
    counted = analysis.loads.trust.residuals.counted.copy()
    counted[:ENDS] = counted[-ENDS:] = False
    assert counted.any()

    def rms(vectors: np.ndarray) -> float:
        return float(np.sqrt((vectors[counted] ** 2).sum(axis=1).mean()))

    force, torque = (
        max(rms(getattr(loads, what)[:, j] - getattr(truth[name], what)) for j, name in enumerate(loads.joints))
        for what in ("force", "torque")
    )
    largest = [
        max(np.linalg.norm(getattr(one, what), axis=1).max() for one in truth.values()) for what in ("force", "torque")
    ]
    return LoadErrors(
        int(counted.sum()), force, torque, float(force / largest[0]), float(torque / largest[1]),
        rms(loads.residual_force), rms(loads.residual_torque),
        float(np.linalg.norm(loads.residual_force[counted], axis=1).max()),
    )  # fmt: skip


def main() -> None:
    """Print the table of the validation page."""
    exact = RecordOptions(100.0, 100.0)
    rows = ["| movement | recording | force | torque | residual force | residual torque |", "|---|---|---|---|---|---|"]
    for name, movement in MOVEMENTS.items():
        for words, options, settings in (
            ("undisturbed, splines", exact, SPLINE),
            ("undisturbed, central differences", exact, CENTRAL),
            ("an ordinary day without gaps", SEEN, None),
            ("an ordinary day", DEMO, None),
        ):
            acquisition = record(movement, VirtualPerson(), options)
            one = load_errors(acquisition, analysed(acquisition, settings))
            cells = (
                f"{one.force:.2g} N ({one.relative_force:.1e})",
                f"{one.torque:.2g} N·m ({one.relative_torque:.1e})",
                f"{one.residual_force:.2g} N",
                f"{one.residual_torque:.2g} N·m",
            )
            rows.append(f"| {name} | {words} | {' | '.join(cells)} |")
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
