"""The study `drift`: how constraints are violated over time, with Baumgarte's stabilisation and without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.progress import Progress, part_of
from biomec.machines.closed_chain.study_parts import SPATIAL, refuse_long, sample_times, start_state
from biomec.machines.machine import Machine
from biomec.machines.reference_points.integration import FIXED_STEP, METHODS, IntegrationOptions
from biomec.machines.study import Run, Study, StudyCurve, curve, option, time_limit

KEY, TITLE = "drift", "Drift of constraints"
USUAL_s = 4.0  # of the published comparison


@dataclass(frozen=True)
class DriftOptions:
    """Options of the study."""

    duration_s: float = option(
        0.0, "Duration; 0 takes 4 s, or that of the machine where a law is kept: beyond it, laws may run away", "s"
    )
    samples: int = option(401, "Instants shown")
    integrator: str = option("runge-kutta 5", "Integrator", choices=tuple(METHODS))
    step_s: float = option(0.001, f"Step of {FIXED_STEP}", "s")
    tolerance: float = option(1e-8, "Relative error allowed in a step of the others")
    alpha: float = option(1.0, "Factor α of Baumgarte's stabilisation, on velocities", "1/s")
    beta: float = option(10.0, "Factor β of Baumgarte's stabilisation, on positions", "1/s")
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Why it cannot be asked of a machine."""
    return None if machine.is_planar else SPATIAL


def run_drift(machine: Machine, options: DriftOptions, progress: Progress | None = None) -> Run:
    """Answer the study: the machine let go from its start, or from the start of its laws."""
    from biomec.machines.closed_chain.replay import drift
    from biomec.machines.reference_points import NotAssembled, SingularPosition, follow, reference_point_model

    kept = any(one.kept for one in machine.prescriptions)
    usual = min(USUAL_s, machine.duration_s) if kept else USUAL_s
    time_s = sample_times(machine, options.duration_s or usual, options.samples)
    refuse_long(options.integrator, float(time_s[-1]), options.step_s)
    notices: tuple[str, ...] = ()
    model = reference_point_model(machine, "kept")
    driven = reference_point_model(machine)
    try:
        if driven.m >= driven.n:
            q, qdot, _ = (level[0] for level in follow(driven, [0.0]))
        else:
            q, qdot, notices = start_state(machine, model)
    except (NotAssembled, SingularPosition) as error:
        return Run(KEY, TITLE, machine, options, np.zeros(0), (), {}, status=str(error), succeeded=False)
    settings = IntegrationOptions(
        options.integrator, options.step_s, rtol=options.tolerance, atol=0.1 * options.tolerance
    )
    curves: list[StudyCurve] = []
    figures: dict[str, float] = {}
    ended, poses = [], {}
    for k, (word, alpha, beta) in enumerate((("stabilised", options.alpha, options.beta), ("left alone", 0.0, 0.0))):
        found = drift(model, q, qdot, float(time_s[-1]), alpha=alpha, beta=beta, options=settings,
                      progress=part_of(progress, 0.5 * k, 0.5 * k + 0.5))  # fmt: skip
        at = found.motion.time_s
        levels = (
            ("Positions", "m", "m", found.position),
            ("Velocities", "m/s", "m_s", found.rate),
            ("Accelerations", "m/s²", "m_s2", found.acceleration),
        )
        for level, unit, key, values in levels:
            curves.append(curve(f"Violation of constraints: {level.lower()}", word, unit,
                                np.interp(time_s, at, values, right=np.nan)))  # fmt: skip
            figures[f"{word.replace(' ', '_')}_{level.lower()}_max_{key}"] = float(values.max())
        if k == 0:
            paths = [np.interp(time_s, at, column) for column in found.motion.q.T]
            poses = model.poses(np.array(paths).T)
        if not found.motion.succeeded:
            ended.append(f"{word}: {found.motion.status}")
    return Run(
        study=KEY,
        title=TITLE,
        machine=machine,
        options=options,
        time_s=time_s,
        curves=tuple(curves),
        figures=figures,
        poses=poses,
        status="; ".join(ended) or "completed",
        succeeded=not ended,
        notices=notices,
    )


STUDY = Study(
    key=KEY,
    title=TITLE,
    about="How far the joints of a simulated machine drift apart, with stabilisation and without.",
    options=DriftOptions,
    refusal=refusal,
    run=run_drift,
)
