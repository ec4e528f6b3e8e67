"""A simulation to take away: tables of what it did frame by frame and step by step, and a summary of how good it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.together import replaced_together
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import LEVELS, SimulationRun
from biomec.pipeline.tracking_figures import tracking_figures
from biomec.recording.step import plain_data
from biomec.reporting.tables import plain_number, table_text

FILES = ("simulation.csv", "simulation_steps.csv", "simulation.json")
VIOLATIONS = {"phi": "violation", "phi_rate": "rate_violation", "phi_acceleration": "acceleration_violation"}


def write_simulation(
    analysis: Analysis, run: SimulationRun, folder: Path, *, coordinates: bool = False
) -> tuple[Path, ...]:
    """Write the tables and the summary of a run into a folder, made if needed; files of an earlier run are replaced."""
    summary = json.dumps(simulation_summary(analysis, run), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    texts = (simulation_csv(analysis, run, coordinates=coordinates), steps_csv(run), summary)
    with replaced_together(Path(folder), "simulation.json", FILES) as stage:
        for name, text in zip(FILES, texts, strict=True):
            (stage / name).write_text(text, encoding="utf-8")
    return tuple(Path(folder) / name for name in FILES)


def simulation_csv(analysis: Analysis, run: SimulationRun, *, coordinates: bool = False) -> str:
    """Angles [°] and joint moments [N m] of the simulated and the recorded motion, or the simulated coordinates."""
    if coordinates:
        names, values = [f"q{k}" for k in range(run.q.shape[1])], run.q
    else:
        names = [f"{name} ({whose}, deg)" for name in run.angle_names for whose in ("simulated", "recorded")]
        names += [f"{name} ({whose}, N m)" for name in run.torque_names for whose in ("simulated", "inverse dynamics")]
        values = np.concatenate(
            [
                np.degrees(_side_by_side(run.angles, run.measured_angles)),
                _side_by_side(run.torques, run.inverse_torques),
            ],
            axis=1,
        )
    names += [f"{name} (activation)" for name in run.muscle_names] + [f"{name} (N)" for name in run.muscle_names]
    names += [f"{name} (reserve, N m)" for name in run.reserve_names]
    names += run.device_names
    values = np.concatenate([values, run.activations, run.muscle_forces, run.reserves, run.devices], axis=1)
    base = analysis.signals.trial.first_frame
    head = [[base + int(frame), f"{t:.6f}"] for frame, t in zip(run.frames, run.time_s, strict=True)]
    return table_text(["frame", "time_s", *names], head, values)


def steps_csv(run: SimulationRun) -> str:
    """Every state of a run: iterations, last change, violations of the constraints, energies, work and what is left."""
    columns = {
        "iterations": run.iterations,
        "last_change_m": run.increment,
        **{name: getattr(run, array) for name, array in VIOLATIONS.items()},
        **{f"{name}_J": course for name, course in _energies(run).items()},
    }
    head = [[k, f"{t:.6f}"] for k, t in enumerate(run.step_time_s)]
    values = np.column_stack([np.asarray(one, dtype=np.float64) for one in columns.values()])
    return table_text(["step", "time_s", *columns], head, values)


def _energies(run: SimulationRun) -> dict[str, FloatArray]:
    """Energies, work of all forces but the weight, and the drift that they leave, (S,) [J]."""
    return {"kinetic": run.kinetic, "potential": run.potential, "work": run.work, "drift": run.energy_drift}


def simulation_summary(analysis: Analysis, run: SimulationRun) -> dict[str, Any]:
    """How a run went and how near it is to the recorded motion, as plain data; frames as the recording counts them."""
    taken = slice(1, None)  # the start is not a step
    base, asked = analysis.signals.trial.first_frame, run.settings
    if asked.frames is not None:
        asked = replace(asked, frames=(base + asked.frames[0], base + asked.frames[1]))
    drift = np.abs(run.energy_drift)
    return {
        "name": run.name,
        "settings": plain_data(asked),
        "integration": run.integration,
        "ending": run.ending.value,
        "sentence": run.sentence,
        "frames": {"first": base + run.first, "last": base + run.last, "reached": base + int(run.frames[-1])},
        "simulated_s": run.reached_s,
        "steps": len(run.step_time_s) - 1,
        "iterations": _mean_and_spread(run.iterations[taken]),
        "cpu_s_per_step": _mean_and_spread(run.seconds[taken]),
        "last_increment_m": _mean_and_spread(run.increment[taken]),
        "violations": {name: _mean_and_largest(getattr(run, array)) for name, array in VIOLATIONS.items()},
        "energy_J": {
            name: {
                "first": plain_number(float(course[0])),
                "last": plain_number(float(course[-1])),
                "min": plain_number(float(course.min())),
                "max": plain_number(float(course.max())),
            }
            for name, course in _energies(run).items()
        },
        "energy_drift_max_J": plain_number(float(drift.max())),
        "difference_from_recorded": {
            level: {"mean": plain_number(one.mean), "sd": plain_number(one.sd), "unit": LEVELS[level]}
            for level, one in run.spread.items()
        },
        "angle_rms_deg": {name: plain_number(float(np.degrees(one))) for name, one in run.angle_rms.items()},
        "torque_rms_Nm": {name: plain_number(one) for name, one in run.torque_rms.items()},
        "tracked_rms": {name: plain_number(one) for name, one in tracking_figures(analysis, run).items()},
        "residual_force_rms_N": _rms_of_size(run.residual_force),
        "residual_torque_rms_Nm": _rms_of_size(run.residual_torque),
        "ground_change_rms_N": {segment: _rms_of_size(change) for segment, change in run.ground_changes.items()},
        "ground_change_mean_N": {
            segment: [plain_number(float(one)) for one in change.mean(axis=0)]
            for segment, change in run.ground_changes.items()
        },
        "stop_torque_max_Nm": {
            name: plain_number(float(np.abs(run.stop_torques[:, k]).max()))
            for k, name in enumerate(run.stop_names)
            if run.stop_torques[:, k].any()
        },
        "activation_max": {
            name: plain_number(float(run.activations[:, m].max())) for m, name in enumerate(run.muscle_names)
        },
        "reserve_max_Nm": {
            name: plain_number(float(np.abs(run.reserves[:, k]).max())) for k, name in enumerate(run.reserve_names)
        },
        "device_max": {
            name: plain_number(float(np.abs(run.devices[:, k]).max())) for k, name in enumerate(run.device_names)
        },
        "when": run.when,
        "biomec": run.biomec,
        "notices": [notice.sentence for notice in run.notices],
    }


def _side_by_side(first: FloatArray, second: FloatArray) -> FloatArray:
    """Columns of both (F, A), in turn: (F, 2 A)."""
    return np.stack([first, second], axis=2).reshape(len(first), -1)


def _mean_and_spread(values: Any) -> dict[str, float | None]:
    if not len(values):
        return {"mean": None, "sd": None}
    return {"mean": plain_number(float(np.mean(values))), "sd": plain_number(float(np.std(values)))}


def _mean_and_largest(values: FloatArray) -> dict[str, float | None]:
    return {"mean": plain_number(float(values.mean())), "max": plain_number(float(values.max()))}


def _rms_of_size(values: FloatArray) -> float | None:
    known = values[np.isfinite(values).all(axis=1)]
    return plain_number(float(np.sqrt((known**2).sum(axis=1).mean()))) if len(known) else None
